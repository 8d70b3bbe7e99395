"""What two graphs save, and whether each can be gone through twice."""

import torch

from grader.instruments.saved_tensors import saved_tensors

a, b = torch.ones(3, requires_grad=True), torch.ones(3)
for name, make in (
    ("(a + b).sum()", lambda: (a + b).sum()),
    ("a.exp().sum()", lambda: a.exp().sum()),
):
    print(f"{name}: {len(saved_tensors(make))} tensors saved")
    loss = make()
    loss.backward()
    try:
        loss.backward()
        print("    second backward: works")
    except RuntimeError as error:
        print("    second backward:", str(error).split(" (")[0])
