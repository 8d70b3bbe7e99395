"""How many small gradients become zero in two formats, and the smallest numbers of three."""

import torch

torch.manual_seed(0)
gradients = torch.randn(1000) * 1e-9
for dtype in (torch.float16, torch.bfloat16):
    print(f"{dtype}: {int((gradients.to(dtype) == 0).sum())} of 1000 become zero")
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    found = torch.finfo(dtype)
    print(f"{str(dtype):15} smallest normal {found.smallest_normal:.3g}, eps {found.eps:.3g}")
