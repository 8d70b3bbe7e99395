"""The scale from iteration to iteration while every loss is infinite."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler, count = torch.amp.GradScaler("cpu", backoff_factor=0.5), 0
while scaler.get_scale() >= 1:
    optimizer.zero_grad()
    scaler.scale(weight.sum() * torch.inf).backward()
    scaler.step(optimizer)
    scaler.update()
    count += 1
    print(f"after {count:2}: {scaler.get_scale():g}")
