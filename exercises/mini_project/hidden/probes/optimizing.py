"""The optimized trainer beside the sound one: does it compute and learn the same, and what for."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from .faulty import gradients_at_step
from .programs import maker, ready

COMPARED, LEARNING = 3, 25
MEASURED = 2
"""Steps whose peak is measured; a step before them may be a special one, and one alone too."""

SMALL = 0.25
"""Share of the whole gradient below which that of one parameter is not looked at more closely.

The gradient of a bias is a sum that may nearly cancel: rounding shows in it first.
"""


def _pair(stage: Any, seed: int) -> tuple[Any, Any]:
    """Return the student's repaired trainer and the optimized one.

    The seed says which is made first, and how many models the adapter has made by then: an adapter
    that counts cannot tell the two apart.
    """
    adapter = ready(stage, "optimized")
    for _ in range(seed % 5):
        adapter.make_model(seed)
    if seed % 2:
        base = stage.repaired(seed)
        return base, stage.optimized(seed)
    new = stage.optimized(seed)
    return stage.repaired(seed), new


def equivalent(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make the same steps with both, each from the repaired trainer's weights, and compare."""
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


def peaks(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the peak of live bytes in whole steps; the batch's storages are not counted.

    Measured are the repaired trainer, the optimized one, and the sound one that is handed out.
    ``moved`` says how far the optimized one's weights went apart from the repaired one's in a step
    that was measured, each made from the same weights.
    """
    base, new = _pair(stage, case["seed"])
    start = _handed_out(case)
    before: list[list[Any]] = []
    ways: list[list[Any]] = []
    found: dict[str, Any] = {"base": _peak(base, case, before, ways)}
    seen: list[list[Any]] = []
    found["new"] = _peak(new, case, before, seen)
    found["start"] = _peak(start, case, [], [])
    found["weighing"] = _weighing()
    found["unseen"] = ", ".join(_unseen(new, case))
    found["moved"] = max(_apart(mine, true) for mine, true in zip(seen, ways, strict=True))
    return found


def _unseen(trainer: Any, case: dict[str, Any]) -> list[str]:
    """Make more steps under the ledger; return the parts that it is kept from seeing."""
    from grader.instruments.live_bytes import LiveBytes
    from grader.instruments.modes import modes_on

    blind = {"the forward": False, "the backward": False, "the optimizer's step": False}

    def look(part: str) -> Any:
        def hook(*_: Any) -> None:
            blind[part] |= modes_on() == 0

        return hook

    handles = [
        trainer.optimizer.register_step_pre_hook(look("the optimizer's step")),
        trainer.model.register_forward_pre_hook(look("the forward")),
        *(
            p.register_post_accumulate_grad_hook(look("the backward"))
            for p in trainer.model.parameters()
            if p.requires_grad
        ),
    ]
    stream = trainer.stream()
    for _ in range(MEASURED):
        batch = next(stream)
        with LiveBytes():
            trainer.step(batch)
    for handle in handles:
        handle.remove()
    return [part for part, seen in blind.items() if seen]


def _weighing() -> str:
    """Return the settings of the process that are not what they are at first, and weigh on all."""
    from grader.instruments.settings import settings

    now = settings()
    usual = {
        "anomaly detection": "False", "deterministic algorithms": "False", "gradients": "True",
        "hooks of all modules": "0", "hooks of all optimizers": "0", "profiler": "False",
        "tracing": "False",
    }  # fmt: skip
    return ", ".join(name for name, value in usual.items() if now[name] != value)


def _handed_out(case: dict[str, Any]) -> Any:
    """Return the sound trainer that is handed out, with its own adapter if it has one."""
    return maker(case["start"], case["adapter"])(case["seed"])


def _peak(
    trainer: Any, case: dict[str, Any], before: list[list[Any]], ways: list[list[Any]]
) -> int:
    """Make steps; return the peak of live bytes in the last ones.

    Args:
        trainer: The run.
        case: Has `seed`, and in `warm` how many steps come before those that are measured.
        before: The weights before each step: put into the trainer, or appended if there are none.
        ways: How the weights moved in each step that is measured is appended.
    """
    import torch

    from grader.instruments.live_bytes import LiveBytes

    stream, ledger = trainer.stream(), LiveBytes()
    weights, given = list(trainer.model.parameters()), list(before)
    outside = 0
    for number in range(case["warm"] + MEASURED):
        batch = next(stream)
        for mine, theirs in zip(weights, given[number] if given else (), strict=False):
            mine.data.copy_(theirs)
        old = [p.detach().clone() for p in weights]
        if not given:
            before.append(old)
        torch.manual_seed(case["seed"] + number)
        if number < case["warm"]:
            trainer.step(batch)
            continue
        with ledger:
            held = ledger.live
            ledger.track(list(batch))  # first, or a view of it would be a new storage
            outside += ledger.live - held
            ledger.track(trainer.model, trainer.optimizer)
            trainer.step(batch)
        ways.append([p.detach() - q for p, q in zip(weights, old, strict=True)])
    return ledger.peak - outside


def speed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time steps of two trainers in turn, on the same batches; return the verdict's numbers.

    The base is the repaired trainer, or the one that is handed out if the case has it. ``made`` is
    the share of the steps in which the optimized one moved its weights, of those in which the base
    did.
    """
    from grader.instruments import gain

    base, new = _pair(stage, case["seed"])
    if "start" in case:
        base = _handed_out(case)
    batch = next(base.stream())
    which, weighing = _liveliest(stage, case["seed"]), _weighing()
    marks: dict[str, list[float]] = {"base": [], "new": []}

    def stepping(name: str, trainer: Any) -> Any:
        weight, seen = list(trainer.model.parameters())[which], marks[name]

        def step() -> None:
            trainer.step(batch)
            seen.append(weight.detach().sum())

        return step

    _, verdict = gain.decide(
        stepping("base", base),
        stepping("new", new),
        seed=case["seed"],
        rounds=40,
        most_rounds=160,
        budget=10.0,
    )
    interval = verdict.speedup
    moved = {name: [a != b for a, b in pairwise(map(float, seen))] for name, seen in marks.items()}
    both = [new for old, new in zip(moved["base"], moved["new"], strict=False) if old]
    return {
        "state": verdict.state,
        "low": interval.low,
        "middle": interval.middle,
        "high": min(interval.high, 1e9),
        "note": verdict.note,
        "made": sum(both) / (len(both) or 1),
        "weighing": weighing,
    }


def _liveliest(stage: Any, seed: int) -> int:
    """Return the number of the parameter that a step moves most, relative to its length."""
    trainer = stage.repaired(seed)
    before = [p.detach().clone() for p in trainer.model.parameters()]
    trainer.step(next(trainer.stream()))
    moved = [
        float((p.detach() - old).norm() / (old.norm() + 1e-12))
        for p, old in zip(trainer.model.parameters(), before, strict=True)
    ]
    return max(range(len(moved)), key=lambda number: moved[number])
