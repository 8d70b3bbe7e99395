"""The timers of the PyTorch stage on simulated streams, whose clock moves only with work."""

from __future__ import annotations

from typing import Any


def _device(case: dict[str, Any]) -> Any:
    """Return a device with the costs of the case, and older work in its queue."""
    from grader.instruments.simulated_streams import SimulatedStreams

    device = SimulatedStreams(launch=case["launch"], sync=case["sync"], tick=case.get("tick", 0))
    if case.get("old"):
        device.work(case["old"], launch=0)
    return device


def _callable(device: Any, works: list[list[int]], calls: list[int]) -> Any:
    """Return a function that hands over the kernels of its n-th call, and notes the call."""

    def fn() -> None:
        number = len(calls)
        calls.append(number)
        for work in works[min(number, len(works) - 1)]:
            device.work(work)

    return fn


def timed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a function with `time_callable`."""
    device, calls = _device(case), []
    fn = _callable(device, case["works"], calls)
    result = stage.time_callable(fn, device, **case["settings"])
    return {"result": result, "calls": len(calls), "waits": device.waits}


def evented(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a function with `event_times`; return the history of the device, too."""
    device, calls = _device(case), []
    fn = _callable(device, case["works"], calls)
    times = stage.event_times(fn, device, **case["settings"])
    return {"times": times, "calls": len(calls), "history": device.history}


def phased(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time phases with `time_phases`; a phase may itself wait, as a read of the loss does."""
    device, ran = _device(case), []

    def phase(name: str, work: int, waits: bool) -> Any:
        def run() -> None:
            ran.append(name)
            if work:
                device.work(work)
            if waits:
                device.synchronize()

        return name, run

    phases = [phase(*row) for row in case["phases"]]
    seen: dict[str, Any] = {"ran": ran}
    try:
        table = stage.time_phases(phases, device, case["sync_after"])
    except ValueError:
        seen["refused"] = True
        return seen
    return {**seen, "table": table, "waits": device.waits, "refused": False}


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let `closed_book_timers` time work behind other work; note what was called when."""
    device, order = _device(case), []

    def prepare() -> None:
        order.append(["prepare", device.current_stream().free_at <= device.host])
        device.work(case["prepared"], launch=case["launch"])

    def fn() -> None:
        order.append(["fn", True])
        for work in case["work"]:
            device.work(work)

    return {"result": stage.closed_book_timers(prepare, fn, device), "order": order}
