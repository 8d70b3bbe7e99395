"""Losses of a small classifier with AdamW, clipped after the unscaling and before it."""

import torch
from torch import nn
from torch.nn import functional as F


def losses(unscale_first):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
    x, y = torch.randn(32, 8), torch.randint(4, (32,))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scaler, seen = torch.amp.GradScaler("cpu", init_scale=1024.0), []
    for _ in range(60):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        if unscale_first:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        seen.append(loss.item())
    return seen


for first in (True, False):
    run = losses(first)
    print(f"unscaled before the clip: {first!s:5}  losses", [round(loss, 2) for loss in run[::15]])
    print("    healthy:", run[0] > 1 and run[-1] < 0.2)
