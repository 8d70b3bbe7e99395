"""Host syncs: those that the student's watcher finds, and those that a training loop makes."""

from __future__ import annotations

import contextlib
import io
import weakref
from typing import Any


def found_syncs(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let `host_syncs` watch a program that the case brings as text.

    The program defines ``step()``; line numbers are those of the text. It says of itself that it
    lies in the file that the case names; ``{torch}`` in that name is torch's own folder.
    """
    from pathlib import Path

    import numpy as np
    import torch

    from grader.instruments.modes import modes_on

    names: dict[str, Any] = {
        "torch": torch,
        "np": np,
        "t": torch.arange(1.0, 7.0),
        "one": torch.tensor(3.0),
        "count": torch.tensor(2),
        "mask": torch.tensor([True, False, True, False, True, False]),
        "picks": torch.tensor([0, 2]),
    }
    file = case.get("file", "step.py").replace("{torch}", str(Path(torch.__file__).parent))
    exec(compile(case["text"], file, "exec"), names)
    seen: dict[str, Any] = {"raised": "", "ran": 0}

    def step() -> Any:
        seen["ran"] += 1
        return names["step"]()

    with contextlib.redirect_stdout(io.StringIO()):
        try:
            seen["syncs"] = stage.host_syncs(step)
        except ZeroDivisionError as error:
            seen["raised"] = type(error).__name__
    seen["modes left"] = modes_on()
    return seen


class _Holder:
    """Something that lives as long as the graph that holds it."""


def trained(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Train on the simulated device; return the log and every time the host waited.

    The graph of each loss holds an object; how many of these, and of the losses' own memory, are
    still there is seen at the beginning of each step, and how many batches were pulled that no
    step has had yet.
    """
    import torch

    class _Holding(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, tensor: Any, holder: _Holder) -> Any:
            ctx.holder = holder
            return tensor.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None

    from grader.instruments.simulated_device import SimulatedDevice

    device, lines, steps = SimulatedDevice(), [], []
    held, alive, storages, stored, pulled, ahead = [], [], [], [], [], []
    dtype = getattr(torch, case.get("dtype", "float32"))
    shape = case.get("shape", [])
    with device:
        weight = device.to_device(torch.ones(1, dtype=dtype), pinned=True, non_blocking=True)
        if case.get("graph", True):
            weight.requires_grad_(True)
        # a step reads its batch from here without waiting
        losses = [
            device.to_device(torch.full(shape, value, dtype=dtype), pinned=True, non_blocking=True)
            for value in case["losses"]
        ]
        waits = len(device.waits)

        def step(batch: int) -> Any:
            alive.append(sum(holder() is not None for holder in held))
            stored.append(sum(storage() is not None for storage in storages))
            steps.append(batch)
            ahead.append(len(pulled) - len(steps))
            holder = _Holder()
            held.append(weakref.ref(holder))
            loss = _Holding.apply(weight * losses[batch], holder).reshape(shape)
            storages.append(weakref.ref(loss.untyped_storage()))
            return loss

        def log(count: int, mean: float) -> None:
            lines.append([count, mean, type(mean).__name__, len(device.waits) - waits, len(steps)])

        def batches() -> Any:
            for number in range(len(case["losses"])):
                pulled.append(number)
                yield number

        seen: dict[str, Any] = {"refused": False}
        try:
            seen["made"] = stage.quiet_training(step, batches(), case["every"], log)
        except ValueError:
            seen["refused"] = True
    names = [wait.name for wait in device.waits[waits:]]
    return {
        **seen,
        "lines": lines,
        "steps": steps,
        "waits": names,
        "alive": alive,
        "stored": stored,
        "ahead": ahead,
    }
