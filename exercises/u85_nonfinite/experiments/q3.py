"""The mean of many ones in float16, in PyTorch."""

import torch

for count in (1000, 65_000, 70_000, 1_000_000):
    print(f"{count:8} ones: mean {torch.ones(count, dtype=torch.float16).mean().item()}")
