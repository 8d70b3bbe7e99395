"""The PyTorch stage on doubles and real profiles, but for `verify_optimization`."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from .doubles import (
    PHASES,
    BrokenLoaderError,
    DoublingClock,
    HandClock,
    LoaderDouble,
    TrainerDouble,
)


def _ranges(events: Any) -> list[list[Any]]:
    """Return name, start and end [ns] of the ranges of a trace, in the order of their starts."""
    from grader.instruments import trace

    return [[event.name, event.start, event.end] for event in trace.user_ranges(events)]


# 8.9.j annotated_step


def annotated(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run one annotated step, without a profiler and then under one that belongs to the probe."""
    import torch

    from grader.instruments import trace

    seen: dict[str, Any] = {}
    for way in ("bare", "profiled"):
        clock = HandClock()
        trainer = TrainerDouble(clock, case["costs"])
        batch = torch.full((3,), 2.0)
        if way == "bare":
            # the second step must leave alone what the first returned
            steps = [stage.annotated_step(trainer, batch, clock) for _ in case["costs"]]
        else:
            activities = [torch.profiler.ProfilerActivity.CPU]
            with torch.profiler.profile(activities=activities) as prof:
                steps = [stage.annotated_step(trainer, batch, clock)]
            path = Path(case["scratch"], "annotated.json")
            prof.export_chrome_trace(str(path))
            events = trace.read_trace(path)
            seen["ranges"] = _ranges(events)
            seen["operators"] = sorted({event.name for event in trace.operators(events)})
        seen[way] = {
            "seconds": [seconds for _, seconds in steps],
            "losses": [
                loss.detach() if isinstance(loss, torch.Tensor) else loss for loss, _ in steps
            ],
            "tensors": all(isinstance(loss, torch.Tensor) for loss, _ in steps),
            "graph": any(
                isinstance(loss, torch.Tensor) and loss.requires_grad for loss, _ in steps
            ),
            "calls": trainer.calls,
            "tools": sorted(trainer.tools),
        }
    return seen


def read_clock(stage: Any, case: dict[str, Any]) -> Any:
    """Run one annotated step by a clock that doubles at each reading; return its seconds."""
    import torch

    clock = DoublingClock()
    trainer = TrainerDouble(clock, [dict.fromkeys(PHASES, 0.0)])
    return stage.annotated_step(trainer, torch.full((3,), 2.0), clock)[1]


# 8.9.k profile_steps


def _alone(stage: Any, case: dict[str, Any]) -> Any:
    """Return the seconds of one annotated step by a clock of its own, which ticks when read."""
    import torch

    clock = HandClock(case["tick"])
    trainer = TrainerDouble(clock, case["costs"])
    return stage.annotated_step(trainer, torch.full((3,), 2.0), clock)[1]


def profiled(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Profile a loop of doubles; return the table and what is in the traces."""
    import torch

    from grader.instruments import trace

    clock = HandClock(case.get("tick", 0.0))
    trainer = TrainerDouble(clock, case["costs"])
    loader = LoaderDouble(clock, case["waits"], case.get("start", 0.0), case.get("breaks"))
    folder = Path(case["scratch"], case["folder"]) if case["folder"] else None
    if folder is not None and case.get("exists"):
        folder.mkdir()
    plan = dict(case["plan"])
    try:
        where = None if folder is None else str(folder)
        table = stage.profile_steps(trainer, loader, plan, where, clock)
    except BrokenLoaderError:
        return {"broken": True, "recording": torch._C._autograd._profiler_enabled()}
    traces = []
    names = table.get("traces", ()) if isinstance(table, dict) else ()
    for path in names if isinstance(names, list | tuple) else ():
        try:
            document = trace.load(str(path))
            events = trace.events_of(document)
        except trace.TraceError as error:
            traces.append({"problem": str(error)})
            continue
        traces.append(
            {
                "problem": "",
                "ranges": _ranges(events),
                "flags": [
                    flag
                    for flag in ("with_stack", "record_shapes", "profile_memory", "with_modules")
                    if document.get(flag)
                ],
            }
        )
    return {
        "broken": False,
        "table": table,
        "alone": _alone(stage, case) if "tick" in case else None,
        "traces": traces,
        "files": len(list(folder.rglob("*.json*"))) if folder else 0,
        "recorded": trainer.recorded,
        "iterations": trainer.calls.count("optimizer"),
        "fetched": trainer.fetched,
        "handed": loader.handed,
        "tools": sorted(trainer.tools),
    }


# 8.9.l operator_table


def _as_on_a_device(events: Any, times: list[float]) -> None:
    """Give each event time on an accelerator [us], as if it had launched a kernel of that length.

    Averages are made from the events when they are asked for, so that both tell the same.
    """
    for number, event in enumerate(events):
        event.use_device = "cuda"
        event.append_kernel("kernel", 0, times[number % len(times)])


def operators(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Profile products of two shapes and a convolution; return the table and the raw events."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    m, k, n, wide = (case[name] for name in ("m", "k", "n", "wide"))
    left, right, other = torch.ones(m, k), torch.ones(k, n), torch.ones(k, wide)
    image, kernel = torch.ones(1, 2, 8, 8), torch.ones(3, 2, 3, 3)
    torch.conv2d(image, kernel)
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=case["shapes"],
        profile_memory=case["memory"],
    ) as prof:
        for _ in range(case["narrow_calls"]):
            left @ right
        for _ in range(case["wide_calls"]):
            left @ other
        with torch.profiler.record_function(case["range"]):
            torch.conv2d(image, kernel)
    if case.get("device"):
        _as_on_a_device(prof.events(), case["device"])
    raw: dict[str, dict[str, Any]] = {}
    for event in prof.events():
        key = repr([event.name, event.input_shapes if case["by_shape"] else None])
        row = raw.setdefault(
            key, {"name": event.name, "shapes": event.input_shapes, "count": 0, "self_us": 0.0,
                  "total_us": 0.0, "device_us": 0.0, "self_bytes": 0, "total_bytes": 0}
        )  # fmt: skip
        row["count"] += 1
        row["self_us"] += event.self_cpu_time_total
        row["total_us"] += event.cpu_time_total
        row["device_us"] += event.self_device_time_total
        row["self_bytes"] += event.self_cpu_memory_usage
        row["total_bytes"] += event.cpu_memory_usage
    return {"table": stage.operator_table(prof, case["by_shape"]), "raw": list(raw.values())}


# 8.9.m reconcile_flops


def reconciled(stage: Any, case: dict[str, Any]) -> Any:
    """Reconcile one of a few steps with the hand count of the case."""
    import torch
    from torch.nn import functional as F

    b, t, d, h = (case[name] for name in ("b", "t", "d", "h"))
    x = torch.ones(b, t, d)
    first, second = torch.ones(d, 3 * d, requires_grad=True), torch.ones(d, d, requires_grad=True)

    def forward() -> Any:
        q, k, v = (x @ first).reshape(b, t, 3, h, d // h).permute(2, 0, 3, 1, 4)
        if case["kind"] == "manual":
            mixed = (q @ k.transpose(-1, -2)).softmax(-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v)
        return (mixed.transpose(1, 2).reshape(b, t, d) @ second).sum()

    modes = []

    def step() -> Any:
        modes.append(torch.is_grad_enabled())
        loss = forward()
        if case["backward"]:
            loss.backward()
        return loss

    hand = dict(case["hand"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        report = stage.reconcile_flops(step, hand)
    print(printed.getvalue(), end="")
    return {"report": report, "hand": hand, "gradients": modes, "printed": printed.getvalue()}


# 8.9.n loader_supply


def supplied(stage: Any, case: dict[str, Any]) -> Any:
    """Measure the supply of a loader on a clock that only the loader moves."""
    clock = HandClock()
    loader = LoaderDouble(clock, case["waits"], case.get("start", 0.0))
    supply = stage.loader_supply(loader, case["batches"], case["step_time"], clock)
    return {
        "supply": supply,
        "passes": loader.passes,
        "handed": loader.handed,
        "kept": loader.kept(),
    }
