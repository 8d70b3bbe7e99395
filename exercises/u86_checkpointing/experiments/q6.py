"""Gradients of two checkpointed blocks on data, when use_reentrant is left out."""

import warnings

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

blocks, head, x = [nn.Linear(4, 4) for _ in range(2)], nn.Linear(4, 1), torch.ones(3, 4)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for block in blocks:
        x = checkpoint(block, x)
    head(x).sum().backward()
for warning in seen:
    print("warning:", str(warning.message)[:70])
print("gradient of the first block:", blocks[0].weight.grad)
