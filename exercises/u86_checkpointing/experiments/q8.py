"""A block that changes the buffer it reads, under a checkpoint and without."""

import warnings

import torch
from torch.utils.checkpoint import checkpoint

for under in (False, True):
    scale = torch.ones(())

    def block(x):
        scale.add_(1)
        return (x * scale.clone()).exp()

    x = torch.zeros(1, requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y = checkpoint(block, x, use_reentrant=False) if under else block(x)
        y.sum().backward()
    print(f"checkpoint: {under!s:5}  gradient {x.grad.item():g}, right is 2; {len(seen)} warnings")
