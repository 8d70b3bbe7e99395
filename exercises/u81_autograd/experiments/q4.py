"""The addresses of what is saved for y = x * x and for y = x * z."""

import torch


def storages(compute):
    found = []

    def pack(tensor):
        found.append(tensor.untyped_storage().data_ptr())
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        compute()
    return found


x, z = torch.randn(5, requires_grad=True), torch.randn(5, requires_grad=True)
for name, compute in (("x * x", lambda: x * x), ("x * z", lambda: x * z)):
    found = storages(compute)
    print(f"{name}: saved {len(found)} times, storages {len(set(found))}")
