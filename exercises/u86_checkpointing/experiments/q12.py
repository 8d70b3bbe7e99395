"""Contexts of an autograd function at the end of a checkpointed region that are still alive."""

import gc
import weakref

import torch
from torch.utils.checkpoint import checkpoint

contexts = []


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        kept = x.clone(), x.clone()
        contexts.append(weakref.ref(ctx))
        ctx.save_for_backward(x, *kept)
        return kept

    @staticmethod
    def backward(ctx, *grads):
        return grads[0] * ctx.saved_tensors[0]


p = torch.ones(10, requires_grad=True)
for _ in range(5):
    checkpoint(lambda t: Own.apply(t)[0], p, use_reentrant=False).sum().backward()
gc.collect()
alive = sum(context() is not None for context in contexts)
print(
    f"torch {torch.__version__}: {len(contexts)} contexts were made, alive after 5 steps: {alive}"
)
