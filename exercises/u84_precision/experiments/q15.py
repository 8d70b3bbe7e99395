"""Large numbers, cast to fp8_e4m3fn and back."""

import torch

for value in (200.0, 440.0, 464.0, 1000.0, 1e6, torch.inf):
    cast = torch.tensor(value).to(torch.float8_e4m3fn).float().item()
    print(f"{value:9g} -> {cast:g}")
