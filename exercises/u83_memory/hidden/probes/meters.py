"""8.3.k meter_for: a CUDA device that is there, faked, or not there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class FakeDevice:
    """Stands in for a CUDA device's allocator, number by number; counts resets."""

    def __init__(self, live: dict[int, int], peak: dict[int, int]) -> None:
        self.live, self.peak, self.current, self.resets = live, peak, 0, []

    def number(self, device: Any = None) -> int:
        """Return the number of a device given as nothing, a number, text or a `torch.device`."""
        import torch

        if device is None:
            return self.current
        if isinstance(device, int):
            return device
        index = torch.device(device).index
        return self.current if index is None else index

    def stats(self, device: Any = None) -> dict[str, int]:
        """Return what memory_stats gives."""
        number = self.number(device)
        return {
            "allocated_bytes.all.current": self.live[number],
            "allocated_bytes.all.peak": self.peak[number],
            "reserved_bytes.all.current": 8 * self.live[number],
            "reserved_bytes.all.peak": 8 * self.peak[number],
        }

    def reset(self, device: Any = None) -> None:
        """Let the peak begin at what is alive."""
        number = self.number(device)
        self.resets.append(number)
        self.peak[number] = self.live[number]


@contextlib.contextmanager
def _cuda(fake: FakeDevice | None) -> Iterator[None]:
    """Let torch.cuda speak for a fake device, or for none at all."""
    import torch

    def column(name: str) -> Any:
        return lambda device=None: fake.stats(device)[name] if fake else 0

    said = {
        "is_available": lambda: fake is not None,
        "device_count": lambda: len(fake.live) if fake else 0,
        "current_device": lambda: fake.current if fake else 0,
        "synchronize": lambda device=None: None,
        "init": lambda: None,
        "memory_stats": lambda device=None: fake.stats(device) if fake else {},
        "memory_allocated": column("allocated_bytes.all.current"),
        "max_memory_allocated": column("allocated_bytes.all.peak"),
        "memory_reserved": column("reserved_bytes.all.current"),
        "max_memory_reserved": column("reserved_bytes.all.peak"),
        "reset_peak_memory_stats": lambda device=None: fake.reset(device) if fake else None,
        "reset_max_memory_allocated": lambda device=None: fake.reset(device) if fake else None,
    }
    places = [torch.cuda, torch.cuda.memory]
    kept = [(place, name, getattr(place, name)) for place in places for name in said
            if hasattr(place, name)]  # fmt: skip
    try:
        for place, name, _ in kept:
            setattr(place, name, said[name])
        yield
    finally:
        for place, name, plain in kept:
            setattr(place, name, plain)


def metered(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask for a meter of a device that is there, is faked, or is not there, and read it."""
    import torch

    device = torch.device(case["device"]) if case["as_object"] else case["device"]
    fake = _fake(case) if case["live"] else None
    with _cuda(fake):
        try:
            meter = stage.meter_for(device)
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            return {"raised": [kind.__name__ for kind in type(error).__mro__]}
        through = _lets_errors_through(meter)
        if fake is None:
            seen, second = _read_live(meter, lambda: stage.meter_for(device))
            return {"raised": [], "read": seen, "value": seen, "second": second, "through": through}
        with meter:
            first = [meter.live, meter.peak]
            for number in fake.live:
                fake.live[number] += case["more"]
                fake.peak[number] += 3 * case["more"]
            second = [meter.live, meter.peak]
            meter.reset_peak()
            third = [meter.live, meter.peak]
    read = [first, second, third]
    return {"raised": [], "read": read, "resets": fake.resets, "through": through}


def metered_together(stage: Any, case: dict[str, Any]) -> list[list[int]]:
    """Make the meters of some faked devices one after another; then read each of them."""
    with _cuda(_fake(case)):
        meters = [stage.meter_for(device) for device in case["devices"]]
        return [[meter.live, meter.peak] for meter in meters]


def _fake(case: dict[str, Any]) -> FakeDevice:
    """Return the fake device of a case, whose keys have come as text."""
    live, peak = ({int(k): v for k, v in case[name].items()} for name in ("live", "peak"))
    return FakeDevice(live, peak)


def _lets_errors_through(meter: Any) -> bool:
    """Whether an error that is raised while a meter is entered comes out again."""
    try:
        with meter:
            raise KeyError("an error within")
    except KeyError:
        return True
    return False


def _read_live(meter: Any, make: Any) -> tuple[list[Any], list[Any]]:
    """Read a meter of the CPU while tensors come and go, and one that is made in between."""
    import torch

    with meter:
        kept = torch.zeros(100)
        gone = torch.zeros(200)
        del gone
        first = [meter.live, meter.peak]
        meter.reset_peak()
        second = [meter.live, meter.peak]
        other = make()
        apart = [other.live, other.peak]
        del kept
    return [first, second], apart


def device_metered(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Read the meter of a real CUDA device while tensors come and go."""
    import torch

    held = []
    with stage.meter_for(case["device"]) as entered, torch.cuda.device(0):
        meter = entered if hasattr(entered, "live") else stage.meter_for(case["device"])
        meter.reset_peak()
        before = meter.live
        held.append(torch.empty(case["kept"], dtype=torch.uint8, device="cuda"))
        gone = torch.empty(case["gone"], dtype=torch.uint8, device="cuda")
        del gone
        return {"grown": meter.live - before, "peak": meter.peak - before}
