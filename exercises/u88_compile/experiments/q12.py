"""Output, dtype and gradient of a division by a number and by a tensor."""

import torch

for name, divide in (
    ("x / x.max().item()", lambda x: x / x.max().item()),
    ("x / x.max()", lambda x: x / x.max()),
    ("x / x.detach().max()", lambda x: x / x.detach().max()),
):
    x = torch.tensor([1.0, 4.0, 2.0], requires_grad=True)
    y = divide(x)
    y.sum().backward()
    print(f"{name:21} {y.tolist()} {y.dtype}, gradient {x.grad.tolist()}")
