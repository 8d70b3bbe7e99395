"""The timers of the PyTorch stage on simulated streams, whose clock moves only with work."""

from __future__ import annotations

from typing import Any


class Broken(Exception):
    """What a timed function raises where the case wants it to."""


def _device(case: dict[str, Any]) -> Any:
    """Return a device with the costs of the case, and older work in its queue."""
    from grader.instruments.simulated_streams import SimulatedStreams

    device = SimulatedStreams(launch=case["launch"], sync=case["sync"], tick=case.get("tick", 0))
    if case.get("old"):
        device.work(case["old"], launch=0)
    return device


def _breaks(case: dict[str, Any], calls: int) -> None:
    """Raise if this call of the timed function is the one that fails, counted from 1."""
    if calls == case.get("fails at"):
        raise Broken


def _callable(device: Any, case: dict[str, Any], calls: list[int]) -> Any:
    """Return a function that hands over the kernels of its n-th call, and notes the call."""
    works = case["works"]

    def fn() -> None:
        number = len(calls)
        calls.append(number)
        _breaks(case, len(calls))
        for work in works[min(number, len(works) - 1)]:
            device.work(work)

    return fn


def timed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a function with `time_callable`."""
    device, calls = _device(case), []
    fn = _callable(device, case, calls)
    result = stage.time_callable(fn, device, **case["settings"])
    return {"result": result, "calls": len(calls), "waits": device.waits}


def evented(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a function with `event_times`; return the history of the device, too."""
    device, calls = _device(case), []
    fn = _callable(device, case, calls)
    times = stage.event_times(fn, device, **case["settings"])
    return {"times": times, "calls": len(calls), "history": device.history}


def phased(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time phases with `time_phases`; a phase may itself wait, as a read of the loss does."""
    device, ran = _device(case), []

    def phase(name: str, work: int, waits: bool) -> Any:
        def run() -> None:
            ran.append(name)
            _breaks(case, len(ran))
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
        _breaks(case, sum(name == "fn" for name, _ in order))
        for work in case["work"]:
            device.work(work)

    return {"result": stage.closed_book_timers(prepare, fn, device), "order": order}
