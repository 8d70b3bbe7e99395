"""Rows of a product against the product of a row, bit for bit."""

import torch

generator = torch.Generator().manual_seed(0)
x, w = torch.randn(257, 300, generator=generator), torch.randn(300, 61, generator=generator)
whole = x @ w
same = [torch.equal(whole[i : i + 1], x[i : i + 1] @ w) for i in range(20)]
gap = max((whole[i : i + 1] - x[i : i + 1] @ w).abs().max().item() for i in range(20))
print(f"the same in all of the first 20 rows: {all(same)}, largest difference {gap:.2g}")
