"""Operators that the backward of a checkpointed block runs anew, with early stop and without."""

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

block = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4), nn.GELU())
seen = []


class Record(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen.append(str(func))
        return func(*args, **(kwargs or {}))


for early in (True, False):
    with set_checkpoint_early_stop(early):
        y = checkpoint(block, torch.ones(2, 4), use_reentrant=False)
        seen.clear()
        with Record():
            y.sum().backward()
    linears, gelus = seen.count("aten.addmm.default"), seen.count("aten.gelu.default")
    print(f"early stop: {early!s:5}  run anew: {linears} of 2 Linears, {gelus} of 2 GELUs")
