"""checkpoint_by_hand on one block: results, calls, live bytes, and whose code ran."""

from __future__ import annotations

import gc
import sys
from typing import Any

from .models import make_input, make_model
from .steps import run_step


def by_hand(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run blocks one after another, each checkpointed by hand."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    model = make_model(case)
    calls = [0] * len(model)

    def count(place: int) -> Any:
        def hook(module: Any, inputs: Any) -> None:
            calls[place] += 1

        return hook

    for place, block in enumerate(model):
        block.register_forward_pre_hook(count(place))

    def run(x: Any) -> Any:
        for block in model:
            x = stage.checkpoint_by_hand(block, x)
        return x

    borrowed: set[str] = set()

    def look(frame: Any, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename.replace("\\", "/")
        if event == "call" and name.endswith("torch/utils/checkpoint.py"):
            borrowed.add(frame.f_code.co_name)

    sys.setprofile(look)
    try:
        seen = run_step(case, model, run)
    finally:
        sys.setprofile(None)
    seen |= {"calls": list(calls), "borrowed": sorted(borrowed)}
    x = make_input(case)
    ledger = LiveBytes()
    model.zero_grad(set_to_none=True)
    ledger.track(model, x)
    with ledger, ledger.phase("forward"):
        y = run(x)
        gc.collect()
    seen["live"] = ledger.live - ledger.phases["forward"].before
    stood = torch.get_rng_state()
    y.sum().backward()
    seen["moved"] = not torch.equal(stood, torch.get_rng_state())
    return seen
