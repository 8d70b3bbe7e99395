"""The gradient of a value by how often it is used."""

import torch

print(f"the largest float32: {torch.finfo(torch.float32).max:.4g}")
for uses in (1, 2, 3):
    value = torch.ones(1, requires_grad=True)
    sum(value * 1.5e38 for _ in range(uses)).sum().backward()
    print(f"used {uses} times: gradient {value.grad.item():.4g}")
