"""Calls of a forward hook in three compiled calls, registered before and after the first one."""

import torch
from torch import nn

for late in (False, True):
    model, x, calls = nn.Sequential(nn.Linear(2, 2), nn.Identity()), torch.ones(1, 2), []
    compiled = torch.compile(model, backend="eager")
    if late:
        compiled(x)
    model[0].register_forward_hook(lambda *_: calls.append(1))
    for _ in range(3):
        compiled(x)
    print(f"registered after the first call: {late!s:5}  the hook was called {len(calls)} times")
