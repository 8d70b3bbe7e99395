"""The optimized trainer beside the sound one: does it compute and learn the same, and what for."""

from __future__ import annotations

from typing import Any

from .faulty import gradients_at_step
from .programs import ready

COMPARED, LEARNING = 3, 25


def _pair(stage: Any, seed: int, function: str = "optimized") -> tuple[Any, Any]:
    """Return the student's repaired trainer and the optimized one."""
    new = stage.optimized(seed)
    return stage.repaired(seed), new


def equivalent(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make the same steps with both; return losses, and how far gradients and weights differ."""
    import torch

    ready(stage, "optimized")
    seen = []
    for trainer in reversed(_pair(stage, case["seed"])):
        torch.manual_seed(case["seed"])
        stream = trainer.stream()
        rows = []
        for _ in range(COMPARED):
            batch = next(stream)
            state = torch.get_rng_state()
            loss = trainer.forward(batch).detach()
            torch.set_rng_state(state)
            rows.append((float(loss), gradients_at_step(trainer, batch)))
        names = [name for name, _ in trainer.model.named_parameters()]
        seen.append((rows, names, [p.detach().clone() for p in trainer.model.parameters()]))
    (new, new_names, new_weights), (base, names, weights) = seen
    if new_names != names:
        return {"same": False}
    grads = [
        {
            name: _gap(g, h)
            for name, g, h in zip(names, mine, theirs, strict=True)
        }
        for (_, mine), (_, theirs) in zip(new, base, strict=True)
    ]  # fmt: skip
    return {
        "same": True,
        "losses": [[x[0], y[0]] for x, y in zip(new, base, strict=True)],
        "gradients": [max(row.values()) for row in grads],
        "largest": [max(row, key=lambda name, row=row: row[name]) for row in grads],
        "weights": max(_gap(a, b) for a, b in zip(new_weights, weights, strict=True)),
    }


def _gap(new: Any, base: Any) -> float:
    """Return the largest difference over the largest entry of both; not a number is infinite."""
    import torch

    if new.shape != base.shape or not torch.isfinite(new).all():
        return float("inf")
    scale = max(float(new.abs().max()), float(base.abs().max()))
    return float((new - base).abs().max()) / scale if scale else 0.0


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
    """Return the peak of live bytes in a step of both; the batches are not counted."""
    from grader.instruments.live_bytes import LiveBytes

    ready(stage, "optimized")
    found = {}
    for name, trainer in zip(("base", "new"), _pair(stage, case["seed"]), strict=True):
        stream = trainer.stream()
        trainer.step(next(stream))
        batch = next(stream)
        ledger = LiveBytes()
        with ledger:
            ledger.track(trainer.model, trainer.optimizer)
            trainer.step(batch)
        found[name] = ledger.peak
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
