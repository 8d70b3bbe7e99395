"""The five faults: instruments that see them, and the student's own measurement and guard."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .programs import forget, maker, ready

BEFORE, AFTER, OWN = 6, 6, 2
"""Steps before a save, after it, and of the run that is resumed before it is."""

CLIP_EPSILON = 1e-6
"""What `torch.nn.utils.clip_grad_norm_` adds to a norm before it divides by it; others add none."""

Make = Callable[[int], Any]


def instruments(make: Make, seed: int, adapter: Any) -> dict[str, float]:
    """Return what faults of a step move: numbers of the first step of a new run.

    - ``zero_gradients``: share of the entries of all gradients that are exactly 0 when the
      optimizer makes its step [1].
    - ``gradient_ratio``: their norm over the true norm, which is that of the weighted loss in fp32,
      clipped [1].
    - ``gradient_error``: norm of their difference from the true ones, over the true norm [1].
    - ``host_syncs``: values read back in a step, outside torch's own code [1].
    """
    from grader.instruments.host_syncs import HostSyncs

    trainer = make(seed)
    batch = next(trainer.stream())
    seen, true = _gradients(trainer, batch, adapter)
    syncs = HostSyncs()
    with syncs:
        trainer.step(batch)
    return {
        "zero_gradients": sum(int((g == 0).sum()) for g in seen) / sum(g.numel() for g in seen),
        "gradient_ratio": _ratio(seen, true, trainer),
        "gradient_error": _error(seen, true, trainer),
        "host_syncs": syncs.own,
    }


def clipping(make: Make, seed: int, adapter: Any) -> dict[str, float]:
    """Return the error of the gradients where half of their length is cut off [1]."""
    trainer = make(seed)
    batch = next(trainer.stream())
    size = _norm(_true_gradients(trainer, batch, adapter))
    trainer.max_norm = 0.5 * size / trainer.loss_weight
    seen, true = _gradients(trainer, batch, adapter)
    ratio = _ratio(seen, true, trainer)
    return {"clipped_error": _error(seen, true, trainer), "clipped_ratio": ratio}


def _gradients(trainer: Any, batch: Any, adapter: Any) -> tuple[list[Any], list[Any]]:
    """Make a step; return the gradients that the optimizer was given, and the true ones."""
    true = _true_gradients(trainer, batch, adapter)
    return gradients_at_step(trainer, batch), true


def _factor(true: list[Any], trainer: Any, epsilon: float) -> float:
    """Return what clipping multiplies the true gradients by."""
    longest = trainer.max_norm * trainer.loss_weight
    return min(1.0, longest / (_norm(true) + epsilon or 1.0))


def _ratio(seen: list[Any], true: list[Any], trainer: Any) -> float:
    """Return the norm of gradients over that of the true ones, clipped."""
    return _norm(seen) / (_norm(true) * _factor(true, trainer, CLIP_EPSILON) or 1.0)


def _error(seen: list[Any], true: list[Any], trainer: Any) -> float:
    """Return the norm of the difference to the clipped true gradients, over their norm."""
    errors = []
    for epsilon in (CLIP_EPSILON, 0.0):
        factor = _factor(true, trainer, epsilon)
        gap = [a - factor * b for a, b in zip(seen, true, strict=True)]
        errors.append(_norm(gap) / (factor * _norm(true) or 1.0))
    return min(errors)


def gradients_at_step(trainer: Any, batch: Any) -> list[Any]:
    """Make a step; return the gradients that the optimizer was given."""
    import torch

    seen: list[Any] = []

    def look(optimizer: Any, *_: Any) -> None:
        if not seen:
            seen.extend(
                torch.zeros_like(p) if p.grad is None else p.grad.detach().float().clone()
                for p in trainer.model.parameters()
            )

    handle = trainer.optimizer.register_step_pre_hook(look)
    try:
        trainer.step(batch)
    finally:
        handle.remove()
    return seen or [torch.zeros_like(p) for p in trainer.model.parameters()]


def _true_gradients(trainer: Any, batch: Any, adapter: Any) -> list[Any]:
    """Return the gradients of the weighted loss in fp32; no generator is moved."""
    import torch

    state = torch.get_rng_state()
    loss = adapter.loss(trainer.model, batch) * trainer.loss_weight
    found = torch.autograd.grad(loss, list(trainer.model.parameters()), allow_unused=True)
    torch.set_rng_state(state)
    return [
        torch.zeros_like(p) if g is None else g
        for p, g in zip(trainer.model.parameters(), found, strict=True)
    ]


def _norm(tensors: list[Any]) -> float:
    import torch

    return float(torch.stack([one.double().norm() for one in tensors]).norm())


def resume_difference(make: Make, seed: int) -> float:
    """Return the largest relative difference of a loss after a resume in a used run."""
    import torch

    trainer = make(seed)
    stream = trainer.stream()
    for _ in range(BEFORE):
        trainer.step(next(stream))
    state = trainer.state_dict()
    losses = [float(trainer.step(next(stream))) for _ in range(AFTER)]
    other = make(seed)
    stream = other.stream()
    for _ in range(OWN):
        other.step(next(stream))
    torch.manual_seed(seed + 1)
    other.load_state_dict(state)
    stream = other.stream()
    again = [float(other.step(next(stream))) for _ in range(AFTER)]
    gaps = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(again, losses, strict=True)]
    return max(gaps) if all(map(math.isfinite, gaps)) else math.inf


def graph_breaks(make: Make, seed: int) -> dict[str, Any]:
    """Return torch's reason for the first break of the part that is fit for torch.compile.

    The instrument is asked what is known before and after, here and not in every worker: it costs.
    """
    from grader.instruments import graph_breaks as instrument

    trainer = make(seed)
    known = instrument.answers_known_question()
    reason = instrument.first_break(trainer.objective, next(trainer.stream()))
    return {"break": reason, "known": known and instrument.answers_known_question()}


def _makers(stage: Any, case: dict[str, Any], function: str) -> dict[str, tuple[Make, Any]]:
    """Return the trainers of a case by name: ``student`` is what the student hands in."""
    adapter = ready(stage, function)
    makers = {name: (maker(text), adapter) for name, text in case.get("programs", {}).items()}
    return {"student": (stage.repaired, adapter), **makers} if case.get("student") else makers


def measured(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Measure trainers with what is asked for: `step`, `clipping`, `resume`, `graphs`."""
    found = {}
    for name, (make, adapter) in _makers(stage, case, "repaired").items():
        row: dict[str, Any] = {}
        if "step" in case["look"]:
            row |= instruments(make, case["seed"], adapter)
        if "clipping" in case["look"]:
            row |= clipping(make, case["seed"], adapter)
        if "resume" in case["look"]:
            row["resume_difference"] = resume_difference(make, case["seed"])
        if "graphs" in case["look"]:
            row |= graph_breaks(make, case["seed"])
        found[name] = row
    return found


def handed_over(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at the trainer that the student hands in: what it is, and that it trains the same."""
    import torch

    adapter = ready(stage, "repaired")
    trainer = stage.repaired(case["seed"])
    lacks = [
        name
        for name in (
            "model", "optimizer", "loss_weight", "max_norm", "stream", "objective", "forward",
            "backward", "update", "step", "state_dict", "load_state_dict",
        )
        if not hasattr(trainer, name)
    ]  # fmt: skip
    if lacks:
        return {"lacks": lacks}
    model = adapter.make_model(case["seed"])
    names = [name for name, _ in model.named_parameters()]
    batch = next(trainer.stream())
    state = torch.get_rng_state()
    objective = trainer.objective(batch)
    torch.set_rng_state(state)
    plain = adapter.loss(trainer.model, batch)
    before = [p.detach().clone() for p in trainer.model.parameters()]
    trainer.step(batch)
    still = [
        name
        for (name, p), old in zip(trainer.model.named_parameters(), before, strict=True)
        if p.requires_grad and torch.equal(p, old)
    ]
    return {
        "lacks": [],
        "same model": names == [name for name, _ in trainer.model.named_parameters()],
        "weight": float(trainer.loss_weight),
        "longest": float(trainer.max_norm),
        "ratio": float(objective) / float(plain),
        "still": still,
    }


def discriminated(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the student's measurement look at trainers; what it raises is told, not judged."""
    found: dict[str, Any] = {}
    for name, (make, _) in _makers(stage, case, "discriminate").items():
        try:
            found[name] = stage.discriminate(make)
        except NotImplementedError:
            raise
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"[:300]
        finally:
            forget(make)
    return found


def guarded(stage: Any, case: dict[str, Any]) -> dict[str, list[str]]:
    """Let the student's guard look at trainers; return for each what it raised, and its words."""
    found = {}
    for name, (make, _) in _makers(stage, case, "guard").items():
        try:
            stage.guard(make)
        except NotImplementedError:
            raise
        except Exception as error:
            kinds = "AssertionError" if isinstance(error, AssertionError) else type(error).__name__
            found[name] = [kinds, str(error)[:200]]
        else:
            found[name] = ["", ""]
        finally:
            forget(make)
    return found
