"""What the sheet of 8.7 asks, measured."""

from __future__ import annotations

import copy
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEED = 11


class _Plain:
    """An mlp with dropout under AdamW and a rate that changes at each step."""

    def __init__(self, seed: int) -> None:
        import torch
        from torch import nn

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.model = nn.Sequential(
                nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 1)
            )
            data = torch.Generator().manual_seed(1)
            self.x = torch.randn(32, 6, generator=data)
            self.y = torch.randn(32, 1, generator=data)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.02, foreach=False)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: 1.0 / (1 + step)
        )

    def step(self) -> float:
        """Make one step on all examples; return the loss from before the update."""
        import torch

        loss = torch.nn.functional.mse_loss(self.model(self.x), self.y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()


def _resume_without(part: str, after: int = 6) -> tuple[list[float], list[float]]:
    """Return the losses that follow 7 steps, and those of a run that lacks a part.

    Returns:
        Both lists of losses.
    """
    import torch

    torch.manual_seed(SEED)
    run = _Plain(SEED)
    for _ in range(7):
        run.step()
    saved = copy.deepcopy(
        (run.model.state_dict(), run.optimizer.state_dict(), run.scheduler.state_dict())
    )
    rng = torch.get_rng_state()
    whole = [run.step() for _ in range(after)]
    torch.manual_seed(SEED + 1)
    other = _Plain(SEED + 1)
    model, optimizer, scheduler = saved
    other.model.load_state_dict(model)
    if part == "optimizer":
        optimizer = {**optimizer, "state": {}}
    other.optimizer.load_state_dict(optimizer)
    if part != "scheduler":
        other.scheduler.load_state_dict(scheduler)
    if part != "generator":
        torch.set_rng_state(rng)
    resumed = [other.step() for _ in range(after)]
    return whole, resumed


def _first_difference(part: str) -> dict[str, Any]:
    names = ("first_loss", "second_loss", "third_loss")
    whole, resumed = _resume_without(part)
    gaps = [abs(a - b) for a, b in zip(whole, resumed, strict=True)]
    first = next((i for i, gap in enumerate(gaps) if gap), len(gaps))
    if first == len(gaps):
        return {"value": "no_loss", "terms": {"no_loss": float(len(gaps))}}
    if first >= len(names):
        return {"value": None, "note": f"loss {first + 1} is the first to differ"}
    shown = f"{names[first]} differs by {gaps[first]:.3g}"
    return {"value": names[first], "terms": {names[first]: gaps[first]}, "note": shown}


def measure_without_optimizer(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Leave the moments and their counts out."""
    return _first_difference("optimizer")


def measure_without_generator(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Leave torch's generator where it is."""
    return _first_difference("generator")


def measure_without_scheduler(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Leave the scheduler's count out; the groups have the right rate."""
    return _first_difference("scheduler")


def _scaled(restore: bool) -> tuple[list[Any], float]:
    """Return the parameters and the scale after 4 and 4 more steps."""
    import torch
    from torch import nn

    def make() -> tuple[Any, Any, Any]:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            model = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        return model, optimizer, torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=6)

    def go(model: Any, optimizer: Any, scaler: Any) -> None:
        for _ in range(4):
            optimizer.zero_grad()
            scaler.scale(model(torch.ones(5, 3)).square().mean()).backward()
            scaler.step(optimizer)
            scaler.update()

    first, second = make(), make()
    go(*first)
    for old, new in zip(first[:2], second[:2], strict=True):
        new.load_state_dict(copy.deepcopy(old.state_dict()))
    if restore:
        second[2].load_state_dict(first[2].state_dict())
    go(*second)
    return [p.detach() for p in second[0].parameters()], float(second[2].get_scale())


def measure_without_scaler(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Go on with a new scaler, and with the old one."""
    import torch

    (whole, scale), (lost, other) = _scaled(True), _scaled(False)
    if not all(map(torch.equal, whole, lost)):
        gap = max(float((a - b).abs().max()) for a, b in zip(whole, lost, strict=True))
        return {"value": "parameters", "terms": {"parameters": gap}}
    value = "scale" if scale != other else "nothing"
    note = f"scale {other:g} where the unbroken run has {scale:g}"
    return {"value": value, "terms": {value: other}, "note": note}


def _normalized(restore: bool) -> tuple[list[Any], list[Any], int]:
    """Return parameters, running means and the count of batches after 4 and 4 more steps."""
    import torch
    from torch import nn

    data = torch.randn(16, 3, generator=torch.Generator().manual_seed(2))

    def make() -> Any:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))

    def go(model: Any) -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            model(data).square().mean().backward()
            optimizer.step()

    first, second = make(), make()
    go(first)
    wanted = first.state_dict() if restore else dict(first.named_parameters())
    second.load_state_dict(copy.deepcopy(wanted), strict=False)
    go(second)
    norm = second[1]
    parameters = [p.detach() for p in second.parameters()]
    return parameters, [norm.running_mean.clone()], int(norm.num_batches_tracked)


def measure_without_buffers(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Go on with new statistics, and with the old ones."""
    import torch

    (whole, means, _), (lost, others, _) = _normalized(True), _normalized(False)
    if not all(map(torch.equal, whole, lost)):
        gap = max(float((a - b).abs().max()) for a, b in zip(whole, lost, strict=True))
        return {"value": "parameters", "terms": {"parameters": gap}}
    gap = max(float((a - b).abs().max()) for a, b in zip(means, others, strict=True))
    value = "statistics" if gap else "nothing"
    note = f"the running means differ by up to {gap:.4g}"
    return {"value": value, "terms": {value: gap or 1.0}, "note": note}


def measure_silent_part(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return what the two lost parts end with."""
    return {
        "value": None,
        "terms": {
            "growth_tracker": _scaled(False)[1],
            "num_batches_tracked": _normalized(False)[2],
        },
    }


class _Killed(BaseException):
    """Stands for a kill: nothing of the run comes after it."""


def measure_loads_after_kill(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Save three times, and stop half way through the third."""
    import tempfile

    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.pt")

        def save(step: int, share: float) -> None:
            buffer = io.BytesIO()
            torch.save({"step": step, "w": torch.full((100,), float(step))}, buffer)
            data = buffer.getvalue()
            with open(f"{path}.tmp", "wb") as file:
                file.write(data[: int(share * len(data))])
                file.flush()
                if share < 1:
                    raise _Killed
                os.fsync(file.fileno())
            os.replace(f"{path}.tmp", path)

        every = 6
        try:
            for number in (1, 2, 3):
                save(every * number, 0.5 if number == 3 else 1.0)
        except _Killed:
            found = torch.load(path, weights_only=True)["step"]
    return {
        "value": found,
        "terms": {
            "torn_file": found - 3 * every,
            "first_save": found - every,
            "save_without_write": found - 4 * every,
        },
    }


def measure_checkpoint_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Add the bytes of all tensors up; the terms are what is left out or counted too many."""
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2, 40)).sum().backward()
    optimizer.step()

    def total(value: Any) -> int:
        if isinstance(value, torch.Tensor):
            return value.numel() * value.element_size()
        if isinstance(value, dict):
            return sum(map(total, value.values()))
        return sum(map(total, value)) if isinstance(value, list | tuple) else 0

    weights = total(model.state_dict())
    counters = sum(total(state["step"]) for state in optimizer.state.values())
    biases = sum(total(p) for name, p in model.named_parameters() if name.endswith("bias"))
    whole = weights + total(optimizer.state_dict())
    return {
        "value": whole,
        "terms": {
            "moments": whole - weights - counters,
            "gradients": -weights,
            "step_counters": counters,
            "biases": 3 * biases,
        },
    }


def measure_thread_boundary(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compute three things with one thread and with two."""
    import torch
    from torch.nn.functional import layer_norm

    generator = torch.Generator().manual_seed(SEED)
    x, w = torch.randn(512, 512, generator=generator), torch.randn(512, 512, generator=generator)
    long = torch.randn(1_000_003, generator=generator)
    work: dict[str, Callable[[], Any]] = {
        "matmul": lambda: x @ w,
        "sum": long.sum,
        "layer_norm": lambda: layer_norm(x, (512,)),
    }
    count = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = {name: run() for name, run in work.items()}
        torch.set_num_threads(2)
        two = {name: run() for name, run in work.items()}
    finally:
        torch.set_num_threads(count)
    gaps = {name: float((one[name] - two[name]).abs().max()) for name in work}
    changed = [name for name, gap in gaps.items() if gap]
    note = ", ".join(f"{name} {gap:.3g}" for name, gap in gaps.items())
    if not changed:
        return {"value": "none_of_them", "terms": {"none_of_them": 3.0}, "note": note}
    if len(changed) > 1:
        return {"value": None, "note": f"more than one changes here: {note}"}
    return {"value": changed[0], "terms": {changed[0]: gaps[changed[0]]}, "note": note}


def measure_catching_tolerance(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold the smallest difference of the incomplete runs against the tolerances."""
    faults = []
    for part in ("optimizer", "scheduler", "generator"):
        whole, resumed = _resume_without(part)
        faults.append(max(abs(a - b) / abs(a) for a, b in zip(whole, resumed, strict=True)))
    smallest = min(faults)
    limits = {"zero": 0.0, "1e-5": 1e-5, "1e-3": 1e-3, "1e-1": 1e-1}
    value = [name for name, limit in limits.items() if smallest > limit]
    return {
        "value": value[-1] if value else None,
        "terms": {"smallest_fault": smallest},
        "note": f"smallest_fault {smallest:.3g}",
    }
