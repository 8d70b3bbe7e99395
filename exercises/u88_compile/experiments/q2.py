"""Operators and Python calls of one call of a tiny mlp, eager and compiled."""

import sys

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

model, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)), torch.ones(4, 8)
compiled = torch.compile(model, backend="aot_eager")
compiled(x)  # compiles


class Operators(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen.append(str(func))
        return func(*args, **(kwargs or {}))


counted = {}
for name, run in (("eager", model), ("compiled", compiled)):
    seen, calls = [], []
    with Operators():
        run(x)
    sys.setprofile(lambda frame, event, argument: calls.append(event == "call"))
    run(x)
    sys.setprofile(None)
    counted[name] = sum(calls)
    print(f"{name:9}", [op for op in seen if "addmm" in op or "relu" in op])
print("the compiled call makes more Python calls:", counted["compiled"] > counted["eager"])
