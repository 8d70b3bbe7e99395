"""A hundred gradients of one size, clipped to norm 1."""

import torch

print(f"the largest float32: {torch.finfo(torch.float32).max:.3g}")
for size in (1e10, 1e18, 1e20):
    parameter = torch.nn.Parameter(torch.ones(100))
    parameter.grad = torch.full((100,), size)
    norm = torch.nn.utils.clip_grad_norm_([parameter], 1.0)
    squares = 100 * torch.tensor(size) ** 2
    found = sorted({round(value, 6) for value in parameter.grad.tolist()})
    print(
        f"{size:g} each: squares {squares.item():.3g}, norm {norm.item():.3g}, afterwards {found}"
    )
