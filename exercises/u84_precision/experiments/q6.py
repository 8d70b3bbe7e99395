"""Large float32 numbers, cast to bfloat16."""

import torch

print(f"the largest float32  {torch.finfo(torch.float32).max:.6g}")
print(f"the largest bfloat16 {torch.finfo(torch.bfloat16).max:.6g}")
for value in (65504.0, 1e38, 3.395e38, 3.397e38, 3.4e38):
    x = torch.tensor(value)
    print(f"{value:8.4g}: in float32 {x.item():.5g}, in bfloat16 {x.bfloat16().item():.5g}")
