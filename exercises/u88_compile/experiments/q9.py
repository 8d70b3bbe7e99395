"""A division that torch.where does not take, and one by a length that cannot be 0."""

import torch

for name, divide in (
    ("x / n", lambda x, n: x / n),
    ("x / n.clamp(min=1)", lambda x, n: x / n.clamp(min=1)),
):
    x = torch.zeros(3, requires_grad=True)
    n = x.norm()
    torch.where(n > 1, divide(x, n), x).sum().backward()
    print(f"{name:19} gradient {x.grad.tolist()}")
