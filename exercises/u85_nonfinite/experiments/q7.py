"""A hundred gradients, one of them infinite, clipped to norm 1."""

import math

import torch

parameter = torch.nn.Parameter(torch.ones(100))
parameter.grad = torch.tensor([math.inf] + [1.0] * 99)
norm = torch.nn.utils.clip_grad_norm_([parameter], 1.0)
print("norm", norm.item(), " factor", 1.0 / norm.item())
print(
    "the infinite one becomes",
    parameter.grad[0].item(),
    " the others become",
    parameter.grad[1].item(),
)
print("NaN:", int(parameter.grad.isnan().sum()), "of 100")
