"""A chain whose activations a ledger counts, for the calculators; beside the solution alone."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import Any


def live_chain(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Measure what ``tanh(x W)``, n times, keeps: plain, checkpointed, and of each segment alone.

    The weights need no gradient, so a layer keeps its output and nothing else.
    """
    import torch
    from torch.utils.checkpoint import checkpoint

    from grader.instruments.live_bytes import LiveBytes

    widths, batch = case["widths"], case["batch"]
    weights = [torch.full((a, b), 0.1) for a, b in pairwise(widths)]
    runs = [0]

    def run(x: Any, start: int, end: int) -> Any:
        for weight in weights[start:end]:
            runs[0] += 1
            x = torch.tanh(x @ weight)
        return x

    def new_bytes(start: int, width: int, forward: Any) -> int:
        x = torch.ones(batch, width, requires_grad=True)
        ledger = LiveBytes()
        ledger.track(x, *weights)
        with ledger, ledger.phase("forward"):
            y = forward(x)
            gc.collect()
        grown = ledger.live - ledger.phases["forward"].before
        y.sum().backward()
        return grown

    def through_segments(x: Any) -> Any:
        for start, end in case["spans"]:
            x = checkpoint(run, x, start, end, use_reentrant=False)
        return x

    first, last = (4 * batch * width for width in (widths[0], widths[-1]))
    n = len(weights)
    plain = first + new_bytes(0, widths[0], lambda x: run(x, 0, n))
    runs[0] = 0
    # the chain's output is alive as well, but nobody keeps it for the backward
    stored = first + new_bytes(0, widths[0], through_segments) - last
    forwards = runs[0]
    segments = [
        new_bytes(start, widths[start], lambda x, s=start, e=end: run(x, s, e))
        for start, end in case["spans"]
    ]
    return {
        "plain": plain,
        "stored": stored,
        "segment": max(segments),
        "recomputed": forwards - n,
        "forwards": forwards,
    }
