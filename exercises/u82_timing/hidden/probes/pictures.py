"""What the sheet's measurements saw beyond one number, for the charts of a report."""

from __future__ import annotations

from typing import Any

US = 1e-6


def timers_and_device(launch: int, sync: int, old: int, kernel: int, kernels: int) -> Any:
    """Return what four timers enclose of one step, above what the device does meanwhile.

    Args:
        launch: Host time of a launch [us].
        sync: Host time of a wait in itself [us].
        old: Work that the device has left when the step begins [us].
        kernel: Length of a kernel [us].
        kernels: How many the step has.
    """
    rows = []
    for name, at_start, at_end in (
        ("no sync", False, False),
        ("sync at the end", False, True),
        ("sync at the start", True, False),
        ("sync at both ends", True, True),
    ):
        device = _Watched(launch, sync)
        device.work("older work", old, 0)
        if at_start:
            device.streams.synchronize()
        begin = device.streams.host
        for number in range(1, kernels + 1):
            device.work(f"kernel {number}", kernel)
        if at_end:
            device.streams.synchronize()
        end = device.streams.host
        timed = _span(f"prints {end - begin} us", begin, end)
        rows += [{"name": name, "spans": [timed]}, {"name": "its device", "spans": device.done}]
    return {
        "kind": "lanes",
        "title": "What a timer encloses, and how it moves with a sync",
        "unit": "s",
        "note": "the step of the sheet on the simulated device; an upper bar is the timed stretch",
        "rows": rows,
    }


class _Watched:
    """A simulated device of one stream that notes when each work begins and ends."""

    def __init__(self, launch: int, sync: int) -> None:
        from grader.instruments.simulated_streams import SimulatedStreams

        self.streams = SimulatedStreams(launch=launch, sync=sync)
        self.done: list[dict[str, Any]] = []

    def work(self, name: str, length: int, launch: int | None = None) -> None:
        self.streams.work(length, launch=launch)
        end = self.streams.current_stream().free_at
        self.done.append(_span(name, end - length, end))


def _span(name: str, start: int, end: int) -> dict[str, Any]:
    """Return a span with its ends [us] in seconds."""
    return {"name": name, "start": start * US, "end": end * US}


def savings(sizes: dict[str, float]) -> Any:
    """Return what the step gains if one of its costs is gone [s]."""
    return {
        "kind": "bars",
        "title": "How much earlier the step ends without one of its costs",
        "unit": "s",
        "note": "on the simulated device, one cost taken away at a time",
        "rows": [{"name": name, "middle": size} for name, size in sizes.items()],
    }
