"""8.3.k, l and n: meters by hand, so that what is true about a step is known without measuring."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

# 8.3.k meter_for


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
    fake = None
    if case["live"]:
        live, peak = ({int(k): v for k, v in case[name].items()} for name in ("live", "peak"))
        fake = FakeDevice(live, peak)
    with _cuda(fake):
        try:
            meter = stage.meter_for(device)
        except NotImplementedError:
            raise
        except Exception as error:  # which one is judged by the driver
            return {"raised": [kind.__name__ for kind in type(error).__mro__]}
        if fake is None:
            seen = _read_live(meter)
            return {"raised": [], "read": seen, "value": seen}
        with meter:
            first = [meter.live, meter.peak]
            for number in fake.live:
                fake.live[number] += case["more"]
                fake.peak[number] += 3 * case["more"]
            second = [meter.live, meter.peak]
            meter.reset_peak()
            third = [meter.live, meter.peak]
    return {"raised": [], "read": [first, second, third], "resets": fake.resets}


def _read_live(meter: Any) -> list[Any]:
    """Read a meter of the CPU while tensors come and go."""
    import torch

    with meter:
        kept = torch.zeros(100)
        gone = torch.zeros(200)
        del gone
        first = [meter.live, meter.peak]
        meter.reset_peak()
        second = [meter.live, meter.peak]
        del kept
    return [first, second]


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


# 8.3.l phase_memory


class HandMeter:
    """A meter whose bytes are moved by hand; it can be broken in ways that real ones are."""

    def __init__(self, resident: int, broken: str = "") -> None:
        self._live, self._peak, self.broken = resident, resident, broken
        self._forgotten = 0
        self.log: list[str] = []
        self.depth = 0

    def __enter__(self) -> HandMeter:
        self.log.append("enter")
        self.depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        self.log.append("exit")
        self.depth -= 1

    def move(self, nbytes: int) -> None:
        """Allocate, or free if it is negative."""
        self._live += nbytes
        self._peak = max(self._peak, self._live - self._forgotten)

    @property
    def live(self) -> int | None:
        """Bytes alive now, as the meter says."""
        return self._said(self._live)

    @property
    def peak(self) -> int | None:
        """The most since the last reset, as the meter says."""
        return self._said(self._peak)

    def reset_peak(self) -> None:
        """Let the peak begin anew."""
        self.log.append("reset")
        self._forgotten = self._live if self.broken == "reset to zero" else 0
        self._peak = self._live - self._forgotten

    def _said(self, value: int) -> int | None:
        if self.broken == "none":
            return None
        if self.broken == "none at last" and self.log.count("work") >= 2:
            return None
        if self.broken == "negative":
            return -value
        return 0 if self.broken == "zero" else value


class Held:
    """Something whose bytes come back to the meter when nobody holds it any more."""

    def __init__(self, meter: HandMeter, nbytes: int) -> None:
        self._meter, self._nbytes = meter, nbytes
        meter.move(nbytes)

    def __del__(self) -> None:
        self._meter.move(-self._nbytes)


def phased(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run phases by hand under a meter by hand, or a real step under the stage's own meter."""
    if case["way"] == "real":
        return _real(stage, case)
    meter = HandMeter(case["resident"], case["broken"])

    def phase(moves: list[int], returns: int) -> Any:
        def run() -> Any:
            meter.log.append("work" if meter.depth == 1 else "work outside")
            for nbytes in moves:
                meter.move(nbytes)
            if case["error"]:
                raise KeyError("a phase failed")
            return Held(meter, returns) if returns else None

        return run

    phases = [
        (name, phase(moves, returns))
        for name, moves, returns in zip(case["names"], case["moves"], case["returns"], strict=True)
    ]
    answer: dict[str, Any] = {"raised": []}
    try:
        answer["value"] = stage.phase_memory(phases, meter)
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
    value = answer.get("value")
    if isinstance(value, dict) and isinstance(value.get("phases"), dict):
        answer["order"] = [str(name) for name in value["phases"]]
    answer["log"] = meter.log
    return answer


def _real(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run three steps of an mlp under the stage's own meter; return what the last one gave."""
    import torch
    from torch.nn import functional as F

    from ._live import make_optimizer, mlp

    widths, batch = case["widths"], case["batch"]
    model = mlp(widths)
    optimizer = make_optimizer(case["optimizer"], model, foreach=case["foreach"])
    x, y = torch.zeros(batch, widths[0]), torch.zeros(batch, dtype=torch.long)
    held: dict[str, Any] = {}

    def forward() -> Any:
        held["loss"] = F.cross_entropy(model(x), y)

    def update() -> None:
        optimizer.step()
        optimizer.zero_grad()

    phases = [("forward", forward), ("backward", lambda: held.pop("loss").backward()),
              ("update", update)]  # fmt: skip
    meter = stage.LiveMeter()
    meter.track(list(model.parameters()), x, y)
    for _ in range(3):
        answer = stage.phase_memory(phases, meter)
    return {"raised": [], "value": answer}


# 8.3.n find_leak


def _ledger_meter() -> Any:
    """Return a meter on the course's own ledger, which says how often it was entered."""
    from grader.instruments.live_bytes import LiveBytes

    class LedgerMeter(LiveBytes):
        entered = 0

        def __enter__(self) -> Any:
            type(self).entered += 1
            return super().__enter__()

        def reset_peak(self) -> None:
            self.peak = self.live

    return LedgerMeter()


def leaking(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look for a leak in one of a few steps."""
    calls = [0]
    step = _STEPS[case["kind"]](case) if case["kind"] in _STEPS else (lambda: None)

    def counted() -> Any:
        calls[0] += 1
        return step()

    if case["kind"] in ("none", "zero"):
        meter: Any = HandMeter(1000, case["kind"])
    else:
        meter = _ledger_meter()
    answer: dict[str, Any] = {"raised": []}
    try:
        answer["value"] = stage.find_leak(counted, meter, **case["plan"])
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
    return {**answer, "calls": calls[0]}


def _loss_maker(case: dict[str, Any]) -> Any:
    """Return a function that makes a loss with labels of its own."""
    import torch
    from torch.nn import functional as F

    from ._live import mlp

    model, batch = mlp(case["widths"]), case["batch"]
    x = torch.zeros(batch, case["widths"][0])

    def loss() -> Any:
        return F.cross_entropy(model(x), torch.zeros(batch, dtype=torch.long))

    return loss


def _keeps_losses(case: dict[str, Any]) -> Any:
    """Keep each loss of a validation, with its graph."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        losses.append(make())

    return step


def _keeps_numbers(case: dict[str, Any]) -> Any:
    """Keep each loss of a validation as a number."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        losses.append(make().item())

    return step


def _keeps_trained_losses(case: dict[str, Any]) -> Any:
    """Keep each loss after its backward: four bytes, and a graph whose tensors have gone."""
    make, losses = _loss_maker(case), []

    def step() -> None:
        loss = make()
        loss.backward()
        losses.append(loss.detach())

    return step


def _keeps_rows(case: dict[str, Any]) -> Any:
    """Keep a row of each of some tables."""
    import torch

    rows = []

    def step() -> None:
        rows.append(torch.zeros(case["batch"], case["widths"][0])[0])

    return step


def _keeps_errors(case: dict[str, Any]) -> Any:
    """Keep the error of each failed attempt, whose traceback holds a tensor."""
    import torch

    errors = []

    def attempt() -> None:
        big = torch.zeros(case["batch"], case["widths"][0])
        raise RuntimeError(f"out of memory after {big.shape}")

    def step() -> None:
        try:
            attempt()
        except RuntimeError as error:
            errors.append(error)

    return step


def _makes_cycles(case: dict[str, Any]) -> Any:
    """Leave a tensor in a cycle for the garbage collector."""
    import torch

    def step() -> None:
        cycle: list[Any] = [torch.zeros(case["batch"], case["widths"][0])]
        cycle.append(cycle)

    return step


def _fills_a_cache(case: dict[str, Any]) -> Any:
    """Fill a cache of two entries, and train with an optimizer whose state comes once."""
    import torch

    make, cache = _loss_maker(case), []

    def step() -> None:
        if len(cache) < case["entries"]:
            cache.append(torch.zeros(100))
        make().backward()

    return step


def _goes_up_and_down(case: dict[str, Any]) -> Any:
    """Hold a buffer that grows for some steps and is then dropped, for a while."""
    import torch

    held: list[Any] = []

    def step() -> None:
        if len(held) == case["entries"]:
            held.clear()
        held.append(torch.zeros(100))

    return step


def _returns_its_loss(case: dict[str, Any]) -> Any:
    """Return the loss with its graph, which the caller has to drop."""
    return _loss_maker(case)


_STEPS = {
    "losses": _keeps_losses,
    "numbers": _keeps_numbers,
    "trained losses": _keeps_trained_losses,
    "rows": _keeps_rows,
    "errors": _keeps_errors,
    "cycles": _makes_cycles,
    "cache": _fills_a_cache,
    "up and down": _goes_up_and_down,
    "returned": _returns_its_loss,
}
