"""The optimized trainer beside the sound one: does it compute and learn the same, and what for."""

from __future__ import annotations

import math
from typing import Any

from .faulty import gradients_at_step
from .programs import ready

COMPARED, LEARNING = 3, 25

SMALL = 0.25
"""Share of the whole gradient below which that of one parameter is not looked at more closely.

The gradient of a bias is a sum that may nearly cancel: rounding shows in it first.
"""


def _pair(stage: Any, seed: int, function: str = "optimized") -> tuple[Any, Any]:
    """Return the student's repaired trainer and the optimized one."""
    new = stage.optimized(seed)
    return stage.repaired(seed), new


def equivalent(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make the same steps with both, each from the repaired trainer's weights, and compare."""
    ready(stage, "optimized")
    base, new = _pair(stage, case["seed"])
    names = [name for name, _ in base.model.named_parameters()]
    if names != [name for name, _ in new.model.named_parameters()]:
        return {"same": False}
    rows = []
    streams = base.stream(), new.stream()
    for number in range(COMPARED):
        for mine, theirs in zip(new.model.parameters(), base.model.parameters(), strict=True):
            mine.data.copy_(theirs.data)
        steps = [
            _step(trainer, next(stream), case["seed"] + number)
            for trainer, stream in zip((base, new), streams, strict=True)
        ]
        (loss, true, way), (again, seen, other) = steps
        least = SMALL * _norm(true)
        gaps = {n: _gap(g, h, least) for n, g, h in zip(names, seen, true, strict=True)}
        largest = max(gaps, key=lambda name, gaps=gaps: gaps[name])
        rows.append(
            {"loss": loss, "new": again, "gap": gaps[largest], "largest": largest,
             "moved": _apart(other, way)}
        )  # fmt: skip
    return {"same": True, "steps": rows}


def _step(trainer: Any, batch: Any, seed: int) -> tuple[float, list[Any], list[Any]]:
    """Make a step; return its loss, the optimizer's gradients, and how the weights moved."""
    import torch

    before = [p.detach().clone() for p in trainer.model.parameters()]
    torch.manual_seed(seed)
    loss = float(trainer.forward(batch).detach())
    torch.manual_seed(seed)
    gradients = gradients_at_step(trainer, batch)
    after = [p.detach() for p in trainer.model.parameters()]
    return loss, gradients, [a - b for a, b in zip(after, before, strict=True)]


def _apart(new: list[Any], base: list[Any]) -> float:
    """Return the norm of the difference of two ways, over the norm of the second."""
    gap = _norm([a - b for a, b in zip(new, base, strict=True)])
    return gap / (_norm(base) or 1.0) if math.isfinite(gap) else float("inf")


def _norm(tensors: list[Any]) -> float:
    """Return the length of all tensors together."""
    import torch

    return float(torch.stack([one.double().norm() for one in tensors]).norm())


def _gap(new: Any, base: Any, least: float) -> float:
    """Return the norm of the difference over the norm, or over `least`; infinite if not finite."""
    import torch

    if new.shape != base.shape or not torch.isfinite(new).all():
        return float("inf")
    scale = max(float(base.double().norm()), least)
    return float((new - base).double().norm()) / scale if scale else 0.0


def controls(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the learning controls on both: one batch by heart, every parameter, shuffled labels."""
    import torch

    ready(stage, "optimized")
    found: dict[str, Any] = {}
    for name, trainer in zip(("base", "new"), _pair(stage, case["seed"]), strict=True):
        stream = trainer.stream()
        batch, held = next(stream), next(stream)
        start = float(_loss(trainer, batch))
        before = {key: p.detach().clone() for key, p in trainer.model.named_parameters()}
        for _ in range(LEARNING):
            trainer.step(batch)
        still = [
            key
            for key, p in trainer.model.named_parameters()
            if p.requires_grad and _moved(before[key], p.detach()) < 1e-4
        ]
        row: dict[str, Any] = {"start": start, "by heart": float(_loss(trainer, batch))}
        row["still"] = still
        found[name] = row
    for name, trainer in zip(("base", "new"), _pair(stage, case["seed"]), strict=True):
        stream = trainer.stream()
        batch, held = next(stream), next(stream)
        generator = torch.Generator().manual_seed(case["seed"])
        order = torch.randperm(len(batch[-1]), generator=generator)
        shuffled = (*batch[:-1], batch[-1][order])
        for _ in range(LEARNING):
            trainer.step(shuffled)
        found[name]["shuffled"] = float(_loss(trainer, held))
    return found


def _loss(trainer: Any, batch: Any) -> Any:
    """Return the loss of a batch in evaluation mode, before it is weighted."""
    import torch

    trainer.model.eval()
    with torch.no_grad():
        loss = trainer.forward(batch) / trainer.loss_weight
    trainer.model.train()
    return loss


def _moved(old: Any, new: Any) -> float:
    """Return how far a parameter moved off the line through zero and its old value, relative."""
    old, new = old.double().flatten(), new.double().flatten()
    size = float(old.norm())
    if size == 0.0:
        return float("inf") if float(new.norm()) > 0.0 else 0.0
    along = (new @ old) / (old @ old)
    return float((new - along * old).norm()) / size


def peaks(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Return the peak of live bytes in a step of both; the batch's storages are not counted."""
    from grader.instruments.live_bytes import LiveBytes

    ready(stage, "optimized")
    found = {}
    for name, trainer in zip(("base", "new"), _pair(stage, case["seed"]), strict=True):
        stream = trainer.stream()
        trainer.step(next(stream))
        batch = next(stream)
        ledger = LiveBytes()
        with ledger:
            ledger.track(list(batch))  # first, or a view of it would be a new storage
            outside = ledger.live
            ledger.track(trainer.model, trainer.optimizer)
            trainer.step(batch)
        found[name] = ledger.peak - outside
    return found


def speed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time steps of both in turn, on the same batches; return the verdict's numbers."""
    from grader.instruments import gain

    ready(stage, "optimized")
    base, new = _pair(stage, case["seed"])
    batch = next(base.stream())
    _, verdict = gain.decide(
        lambda: base.step(batch),
        lambda: new.step(batch),
        seed=case["seed"],
        rounds=40,
        most_rounds=160,
        budget=10.0,
    )
    interval = verdict.speedup
    return {
        "state": verdict.state,
        "low": interval.low,
        "middle": interval.middle,
        "high": min(interval.high, 1e9),
        "note": verdict.note,
    }
