"""The closed-book run, with notes on what every optimizer of the process did."""

from __future__ import annotations

import zlib
from typing import Any


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a piece; note for each optimizer step its class, its rate and torch's generator."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    steps: list[dict[str, Any]] = []

    def note(optimizer: Any, *step: Any) -> None:
        state = torch.get_rng_state().numpy().tobytes()
        steps.append(
            {
                "class": [kind.__name__ for kind in type(optimizer).__mro__],
                "lr": float(optimizer.param_groups[0]["lr"]),
                "generator": zlib.crc32(state),
            }
        )

    hook = register_optimizer_step_post_hook(note)
    try:
        losses = stage.closed_book_run(case["file"], case["steps"])
    finally:
        hook.remove()
    return {"losses": losses, "steps": steps}


def look_into(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Load a file without the stage; count its tensors, and return all leaves as text."""
    import torch

    leaves: list[str] = []

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{path}/{key}")
        elif isinstance(value, list | tuple):
            for number, item in enumerate(value):
                walk(item, f"{path}/{number}")
        elif isinstance(value, torch.Tensor):
            held = zlib.crc32(value.contiguous().numpy().tobytes())
            leaves.append(f"{path} {value.dtype} {list(value.shape)} {held}")
        else:
            leaves.append(f"{path} {value!r}")

    try:
        walk(torch.load(case["file"], weights_only=True), "")
    except Exception as error:
        return {"loads": f"{type(error).__name__}: {error}"[:200], "leaves": []}
    return {"loads": "", "leaves": leaves}
