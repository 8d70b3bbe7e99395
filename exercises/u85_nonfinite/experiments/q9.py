"""A clamp behind the root of a zero: value and gradient."""

import torch

x = torch.zeros(3, requires_grad=True)
y = x.square().sum().rsqrt().clamp(max=1e6)
y.backward()
print("y", y.item(), " gradient", x.grad.tolist())
