"""A BatchNorm after one step: plain, under a checkpoint, and with the replaced momentum."""

import torch
from torch.utils.checkpoint import checkpoint

for name, momentum, under in (
    ("plain", 0.1, False),
    ("checkpoint", 0.1, True),
    ("checkpoint, 1 - sqrt(1 - m)", 1 - 0.9**0.5, True),
):
    torch.manual_seed(0)
    norm, x = torch.nn.BatchNorm1d(2, momentum=momentum), torch.randn(64, 2) + 5
    y = checkpoint(norm, x, use_reentrant=False) if under else norm(x)
    y.pow(2).sum().backward()
    mean = [round(value, 4) for value in norm.running_mean.tolist()]
    print(f"{name:28} running mean {mean}, num_batches_tracked {norm.num_batches_tracked.item()}")
