"""What the sheet asks, measured on the simulated devices; sizes of terms have signs."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from .pictures import savings, timers_and_device

LAUNCH, KERNEL, KERNELS, OLD, SYNC = 25, 100, 3, 500, 10
"""The step of the first three fields [us]."""

US = 1e-6


def _timers() -> dict[str, float]:
    """Return what five timers print for the step of the sheet [s]."""
    from grader.instruments.simulated_streams import SimulatedStreams

    printed = {}
    for policy in ("naive", "start_only", "end_only", "honest", "every_kernel"):
        device = SimulatedStreams(launch=LAUNCH, sync=SYNC)
        device.work(OLD, launch=0)
        if policy in ("start_only", "honest", "every_kernel"):
            device.synchronize()
        begin = device.host
        for _ in range(KERNELS):
            device.work(KERNEL)
            if policy == "every_kernel":
                device.synchronize()
        if policy in ("end_only", "honest"):
            device.synchronize()
        printed[policy] = (device.host - begin) * US
    return printed


def measure_naive_timer(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time the step without any sync."""
    printed = _timers()
    value = printed["naive"]
    work = KERNELS * KERNEL * US
    return {
        "value": value,
        "terms": {
            "kernels_added": -work,
            "kernels_for_launches": value - work,
            "end_sync": value - printed["end_only"],
            "honest_timer": value - printed["honest"],
            "leftover": -OLD * US,
            "sync_cost": -SYNC * US,
        },
    }


def measure_end_only_timer(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time the step with a sync at its end."""
    printed = _timers()
    value = printed["end_only"]
    return {
        "value": value,
        "terms": {
            "leftover": OLD * US,
            "kernels": KERNELS * KERNEL * US,
            "sync_cost": SYNC * US,
            "end_sync": value - printed["naive"],
            "start_sync": value - printed["honest"],
            "all_launches": -KERNELS * LAUNCH * US,
            "first_launch": -LAUNCH * US,
        },
    }


def measure_honest_timer(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time the step with a sync at both ends."""
    printed = _timers()
    value = printed["honest"]
    return {
        "value": value,
        "terms": {
            "start_sync": value - printed["end_only"],
            "end_sync": value - printed["naive"],
            "other_launches": -(KERNELS - 1) * LAUNCH * US,
            "first_launch": LAUNCH * US,
            "sync_cost": SYNC * US,
            "kernels": KERNELS * KERNEL * US,
            "sync_after_every_kernel": value - printed["every_kernel"],
        },
    }


def measure_sync_moved(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Say by how much the print differs from the honest one without each of the two syncs [s]."""
    printed = _timers()
    sizes = {
        "start_sync": printed["end_only"] - printed["honest"],
        "end_sync": printed["start_only"] - printed["honest"],
    }
    return {
        "value": max(sizes, key=lambda name: abs(sizes[name])),
        "terms": sizes,
        "series": timers_and_device(LAUNCH, SYNC, OLD, KERNEL, KERNELS),
    }


def measure_makespan(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the batches of the sheet on two streams, with an event for each buffer."""
    from grader.instruments.simulated_streams import SimulatedStreams

    n, copy, compute, buffers = 4, 4, 10, 2
    device = SimulatedStreams(launch=0, sync=0)
    side, main, used = device.stream(), device.current_stream(), []
    for number in range(n):
        if number >= buffers:
            side.wait_event(used[number - buffers])
        with device.on(side):
            device.work(copy)
        main.wait_stream(side)
        device.work(compute)
        used.append(main.record_event())
    device.synchronize()
    ms = 1e-3
    return {
        "value": device.host * ms,
        "terms": {
            "hidden_copies": (device.host - n * (copy + compute)) * ms,
            "first_copy": copy * ms,
            "hidden_computations": (device.host - (n * copy + compute)) * ms,
            "last_computation": -compute * ms,
        },
    }


def measure_host_syncs(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the twenty steps of the sheet and count."""
    import torch

    from grader.instruments.host_syncs import HostSyncs

    steps = 20
    x, running, losses = torch.arange(-3.0, 5.0), torch.zeros(()), []
    syncs = HostSyncs()
    with syncs, contextlib.redirect_stdout(io.StringIO()):
        for number in range(steps):
            kept = x[x > 0]
            losses.append(kept.mean())
            if number % 2 == 0:
                running += losses[-1]
            if number % 4 == 0:
                print(losses[-1])
        torch.stack(losses).tolist()
    counts = {name: sum(sync.name == name for sync in syncs.seen) for name in _KINDS}
    return {
        "value": syncs.count,
        "terms": {
            "mask_index": counts["mask index"],
            "print": syncs.count - counts["mask index"] - counts["tolist"],
            "tolist": counts["tolist"],
            "running_sum": -steps // 2,
            "entries_of_the_list": counts["tolist"] - steps,
        },
    }


_KINDS = ("mask index", "tolist")


def _total(without: str = "") -> int:
    """Return how long the step of the bottleneck takes [us], with one of its costs taken away."""
    from grader.instruments.simulated_streams import SimulatedStreams

    launch = 0 if without == "launch" else 9
    device = SimulatedStreams(launch=launch, sync=0 if without == "sync" else 1)
    side, main = device.stream(), device.current_stream()
    with device.on(side):
        device.work(0 if without == "copy" else 400)
    main.wait_stream(side)
    for number in range(1, 121):
        device.work(0 if without == "compute" else 3)
        if number % 40 == 0 and without != "sync":
            main.synchronize()
    return max(device.host, main.free_at, side.free_at)


def measure_bottleneck(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take each cost of the step away and see what it saves [s]."""
    total = _total()
    sizes = {word: (total - _total(word)) * US for word in ("launch", "compute", "copy", "sync")}
    return {
        "value": max(sizes, key=lambda word: sizes[word]),
        "terms": sizes,
        "series": savings(sizes),
    }


def measure_naive_ratio(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time one matrix product on the simulated device, naively and honestly."""
    import torch

    from grader.instruments.simulated_device import Rates, SimulatedDevice

    rates = Rates(launch=5_000, sync=1_000, flops=1_000_000)
    device = SimulatedDevice(rates)
    printed = []
    with device:
        x = device.to_device(torch.ones(256, 256), pinned=True, non_blocking=True)
        for honest in (False, True):
            device.synchronize()
            begin = device.now()
            x @ x
            if honest:
                device.synchronize()
            printed.append(device.now() - begin)
    naive, full = printed
    work = full - naive - rates.sync
    return {
        "value": full / naive,
        "terms": {
            "additions": work / 2 / naive,
            "naive_waits_too": full / naive - 1,
            "device_time_alone": (full - work) / naive,
        },
    }
