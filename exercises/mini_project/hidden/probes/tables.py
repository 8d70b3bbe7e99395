"""Tables of time, on a device that exists only as two clocks, and of memory, on the real model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .programs import maker, ready


class Device:
    """A host that launches work and a device that does it, as two clocks [s].

    Attributes:
        now: The host's clock.
        free: When the device will have done everything launched so far.
        syncs: How often the host waited for the device.
    """

    def __init__(self, start: float) -> None:
        self.now = self.free = start
        self.syncs = self.readings = 0

    def launch(self, host: float, work: float) -> None:
        """Spend time on the host, then give work to the device."""
        self.now += host
        self.free = max(self.free, self.now) + work

    def sync(self) -> None:
        """Wait until the device is free."""
        self.syncs += 1
        self.now = max(self.now, self.free)

    def clock(self) -> float:
        """Return the host's time."""
        self.readings += 1
        return self.now


class SlowTrainer:
    """A trainer whose phases only launch; each step has costs of its own."""

    def __init__(self, device: Device, costs: list[dict[str, Any]]) -> None:
        self.device, self.costs = device, costs
        self.calls: list[str] = []
        self.position = -1

    def batches(self) -> Iterator[int]:
        """Hand out batches, each after its wait."""
        for number, cost in enumerate(self.costs):
            self.device.now += cost["data_wait"]
            self.position = number
            self.calls.append("data_wait")
            yield number

    def _phase(self, name: str) -> None:
        self.calls.append(name)
        self.device.launch(*self.costs[self.position][name])

    def forward(self, batch: int) -> str:
        """Launch the forward."""
        assert batch == self.position
        self._phase("forward")
        return "loss"

    def backward(self, loss: str) -> None:
        """Launch the backward."""
        self._phase("backward")

    def update(self) -> None:
        """Launch the update."""
        self._phase("update")


def timed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the stage time a run on the device; say what it did there."""
    device = Device(case["start"])
    trainer = SlowTrainer(device, case["costs"])
    device.launch(0.0, case["queued"])
    named = {} if case["unsynced"] is None else {"unsynced": case["unsynced"]}
    steps, warmup = case["steps"], case["warmup"]
    table = stage.phase_table(
        trainer, trainer.batches(), steps, warmup, device.clock, device.sync, **named
    )
    return {"table": table, "calls": trainer.calls, "syncs": device.syncs}


def few_repeats(stage: Any, case: dict[str, Any]) -> str:
    """Ask for fewer repeats than an honest table has; return what was raised."""
    device = Device(0.0)
    cost = {"data_wait": 0.1, **dict.fromkeys(("forward", "backward", "update"), (0.1, 0.1))}
    trainer = SlowTrainer(device, [cost] * 30)
    try:
        stage.phase_table(trainer, trainer.batches(), case["steps"], 1, device.clock, device.sync)
    except NotImplementedError:
        raise
    except Exception as error:
        return type(error).__name__
    return ""


def moved(stage: Any, case: dict[str, Any]) -> Any:
    """Let the stage compare two tables."""
    return stage.moved_time(case["honest"], case["other"])


class Meter:
    """Live bytes as a student meets them: now, the most since the last reset, and the reset."""

    def __init__(self, ledger: Any) -> None:
        self._ledger = ledger

    def live(self) -> int:
        """Return the bytes alive now [B]."""
        return int(self._ledger.live)

    def peak(self) -> int:
        """Return the most since the last reset [B]."""
        return int(self._ledger.peak)

    def reset_peak(self) -> None:
        """Begin a new peak at what is alive now."""
        self._ledger.peak = self._ledger.live


def memory(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the stage measure the memory of a step's phases; measure the same with the ledger."""
    from grader.instruments.live_bytes import LiveBytes

    ready(stage, "memory_table")
    seen: dict[str, Any] = {}
    for who in ("stage", "grader"):
        trainer = maker(case["trainer"])(case["seed"])
        stream = trainer.stream()
        trainer.step(next(stream))  # the optimizer's state is there from now on
        batch = next(stream)
        ledger = LiveBytes()
        with ledger:
            ledger.track(trainer.model, trainer.optimizer, list(batch))
            batch[0].new_empty(1 << 20)  # an earlier peak, which is none of the step's
            if who == "stage":
                seen["table"] = stage.memory_table(trainer, batch, Meter(ledger))
                continue
            with ledger.phase("forward"):
                loss = trainer.forward(batch)
            with ledger.phase("backward"):
                trainer.backward(loss)
            with ledger.phase("update"):
                trainer.update()
        seen["true"] = {
            name: {"before": one.before, "peak": one.peak, "after": one.after}
            for name, one in ledger.phases.items()
        }
    return seen


def saved(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the stage say what layers save, and count the same with the instrument."""
    import torch
    from torch import nn

    from grader.instruments.saved_tensors import saved_bytes

    b, n, m = case["batch"], case["wide"], case["out"]
    layers = {
        "a linear layer": (nn.Linear(n, m), torch.randn(b, n)),
        "a linear layer behind another": (nn.Linear(n, m), torch.randn(b, n, requires_grad=True)),
        "a layer norm": (nn.LayerNorm(n), torch.randn(b, n, requires_grad=True)),
        "dropout": (nn.Dropout(0.3), torch.randn(b, n, requires_grad=True)),
        "a gelu": (nn.GELU(), torch.randn(b, n, requires_grad=True)),
        "a batch norm": (nn.BatchNorm1d(n), torch.randn(b, n, requires_grad=True)),
        "two layers": (
            nn.Sequential(nn.Linear(n, m), nn.Tanh(), nn.Linear(m, n)),
            torch.randn(b, n, requires_grad=True),
        ),
    }
    found = []
    for name, (layer, x) in layers.items():
        known = [*layer.parameters(), *layer.buffers(), x]

        def forward(layer: Any = layer, x: Any = x) -> Any:
            with torch.autocast("cpu", dtype=torch.float16):
                return layer(x)

        true = saved_bytes(forward, known)
        found.append({"name": name, "true": true, "seen": stage.layer_saved_bytes(layer, x)})
    return found
