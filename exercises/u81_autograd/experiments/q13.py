"""Live tensor bytes after an output was dropped, with and without hooks that pass tensors on."""

import contextlib
import gc

import torch

from grader.instruments.live_bytes import LiveBytes

hooks = torch.autograd.graph.saved_tensors_hooks
for name, around in (
    ("no hooks", contextlib.nullcontext()),
    ("hooks that return the tensor", hooks(lambda t: t, lambda t: t)),
    ("hooks that return t.detach()", hooks(lambda t: t.detach(), lambda t: t)),
):
    with LiveBytes() as ledger:
        a = torch.zeros(100, requires_grad=True)
        before = ledger.live
        with around:
            y = a.exp()
        del y
        gc.collect()
        print(f"{name:30} {ledger.live - before} B stay alive beside a")
