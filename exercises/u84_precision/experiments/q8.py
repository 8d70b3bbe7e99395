"""How far a weight moves when the unscaling goes through a wrapper."""

import torch


class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def __getattr__(self, name):
        return getattr(self.optimizer, name)


for wrapped in (False, True):
    weight = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    scaler.scale((0.5 * weight).sum()).backward()
    scaler.unscale_(Wrapper(optimizer) if wrapped else optimizer)
    scaler.step(optimizer)
    moved = 1 - weight.item()
    print(f"unscaled through a wrapper: {wrapped!s:5}  moved {moved:.9f}, 0.5 is right")
    print(f"    0.5 over what it moved: {0.5 / moved:.0f}, and the scale is 1024")
