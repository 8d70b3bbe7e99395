"""Modules that are replaced, when a node keeps their method and they keep the result."""

import gc
import weakref

import torch


class Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, a):
        ctx.function = function  # a bound method holds its module
        return function(a)

    @staticmethod
    def backward(ctx, g):
        return None, 2 * g


class Keeper(torch.nn.Module):
    def __init__(self, detach):
        super().__init__()
        self.a = torch.nn.Parameter(torch.ones(10))
        result = Call.apply(self.double, self.a)
        self.result = result.detach() if detach else result

    def double(self, a):
        return a * 2


gc.disable()
for detach in (False, True):
    modules = [weakref.ref(Keeper(detach)) for _ in range(5)]
    alive = sum(module() is not None for module in modules)
    print(f"the result is kept without its graph: {detach!s:5}  alive: {alive}")
