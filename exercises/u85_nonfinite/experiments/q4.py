"""The sum of many ones in float16, in PyTorch."""

import torch

print("the largest float16:", torch.finfo(torch.float16).max)
for count in (1000, 65_504, 70_000):
    ones = torch.ones(count, dtype=torch.float16)
    print(
        f"{count:6} ones: sum {ones.sum().item()}, float32 {ones.sum(dtype=torch.float32).item()}"
    )
