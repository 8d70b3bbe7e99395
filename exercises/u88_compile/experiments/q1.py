"""Masks of dropout by backend, from one seed, and the setting that decides about inductor."""

import torch
from torch.nn import functional as F


def kept(backend):
    torch._dynamo.reset()
    fn = lambda x: F.dropout(x, 0.5)
    run = fn if backend is None else torch.compile(fn, backend=backend)
    run(torch.ones(512))
    torch.manual_seed(0)
    return run(torch.ones(512))


for backend in ("eager", "aot_eager"):
    print(f"{backend:10} the mask of eager code: {torch.equal(kept(backend), kept(None))}")
from torch._inductor import config

print("inductor   draws as eager code does (config.fallback_random):", config.fallback_random)
