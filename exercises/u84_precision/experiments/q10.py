"""A gradient that is divided by another scale than the one the loss was multiplied by."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=1.0)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
scaler.scale(weight.sum()).backward()  # the true gradient is 1
print("gradient after the backward:", weight.grad.item())
scaler.update(8.0)  # too early
scaler.unscale_(optimizer)
print("divided by the scale of now:", weight.grad.item())
