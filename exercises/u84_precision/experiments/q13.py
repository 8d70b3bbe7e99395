"""A forward under no_grad, then one that trains, in one autocast region."""

import torch

layer, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
with torch.autocast("cpu", dtype=torch.bfloat16):
    with torch.no_grad():
        layer(x)
    out = layer(x)
out.float().sum().backward()
print("the weight has a gradient:", layer.weight.grad is not None)
