"""Three ways to the length of a zero vector, and their gradients."""

import torch

for name, length in (
    ("x.norm()", lambda x: x.norm()),
    ("torch.linalg.vector_norm(x)", torch.linalg.vector_norm),
    ("x.square().sum().sqrt()", lambda x: x.square().sum().sqrt()),
):
    x = torch.zeros(3, requires_grad=True)
    length(x).backward()
    print(f"{name:28} gradient {x.grad.tolist()}")
