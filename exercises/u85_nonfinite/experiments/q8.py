"""A row of scores under one filled mask and under two."""

import torch

torch.manual_seed(0)
mask = torch.full((3,), torch.finfo(torch.bfloat16).min, dtype=torch.bfloat16)
scores = torch.randn(3).bfloat16()
for name, added in (("one mask", mask), ("two masks", mask + mask)):
    row = scores + added
    print(f"{name}: scores {row.tolist()}")
    print(f"    softmax {row.softmax(-1).tolist()}")
