"""Each time that a tensor is saved, while y = x * x is computed."""

import torch

times = []


def pack(tensor):
    times.append(tensor)
    print(f"saved, time {len(times)}: shape {list(tensor.shape)}")
    return tensor.detach()


x = torch.randn(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y = x * x
print("times:", len(times))
