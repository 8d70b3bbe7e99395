"""Whether a tensor of the failed step is alive inside the handler and behind it."""

import weakref

import torch

alive = []


def step():
    big = torch.zeros(1000)
    alive.append(weakref.ref(big))
    raise torch.OutOfMemoryError("simulated")


try:
    step()
except torch.OutOfMemoryError as error:
    frame = error.__traceback__.tb_next.tb_frame
    print("inside the handler: alive", alive[0]() is not None)
    print("held by the frame of", frame.f_code.co_name, "as", [n for n in frame.f_locals])
    del frame
print("behind the handler: alive", alive[0]() is not None)
