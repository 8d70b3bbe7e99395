"""Doubles: a clock that only moves when told to, and a trainer and a loader that move it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


class HandClock:
    """A clock [s] that stands still until somebody passes time, or moves a tick at a reading."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now = 0.0
        self._tick = tick

    def __call__(self) -> float:
        """Return the time."""
        read = self.now
        self.now += self._tick
        return read

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


def _spending(
    clock: Any,
    costs: list[dict[str, float]],
    calls: list[str],
    tools: set[str],
    recorded: list[int],
) -> Any:
    """Return a function that does the work of a phase: passes its time and leaves a mark."""

    def work(phase: str) -> None:
        import torch

        done = calls.count("optimizer")
        calls.append(phase)
        if phase == "forward":
            with torch.profiler.record_function(f"iteration:{done}"):
                recorded.extend([done] if torch._C._autograd._profiler_enabled() else [])
        with torch.profiler.record_function(f"work:{phase}"):
            clock.pass_time(costs[min(done, len(costs) - 1)][phase])
        if torch.is_anomaly_enabled():
            tools.add("anomaly detection")
        if torch.autograd.profiler._is_profiler_enabled:
            tools.add("profiler")

    return work


class TrainerDouble:
    """A trainer whose phases take the time they are told to and leave a mark in the trace."""

    def __init__(self, clock: Any, costs: list[dict[str, float]]) -> None:
        import torch

        self.calls: list[str] = []
        self.tools: set[str] = set()
        self.recorded: list[int] = []
        self.fetched = 0
        self.device = torch.device("cpu")
        self.model = torch.nn.Linear(3, 1, bias=False)
        torch.nn.init.ones_(self.model.weight)
        self.batches = None
        self._work = _spending(clock, costs, self.calls, self.tools, self.recorded)

    def fetch(self, iterator: Iterator[Any]) -> Any:
        """Return the next batch."""
        batch = next(iterator)
        self.fetched += 1
        return batch

    def transfer(self, batch: Any) -> tuple[Any, Any]:
        """Return the batch twice."""
        self._work("transfer")
        return batch, batch

    def forward(self, x: Any, y: Any) -> Any:
        """Return a loss with a graph."""
        self._work("forward")
        return (self.model.weight * x).sum()

    def backward(self, loss: Any) -> None:
        """Run the backward."""
        self._work("backward")
        loss.backward()

    def update(self) -> None:
        """Drop the gradient."""
        self._work("optimizer")
        self.model.weight.grad = None


class BrokenLoaderError(Exception):
    """What a loader raises that cannot go on."""


class LoaderDouble:
    """A loader of a few batches, each of which takes its time, and so does starting a pass.

    It counts passes and batches, and knows which of its batches are still in memory. After
    `most` batches it raises.
    """

    def __init__(
        self, clock: HandClock, waits: list[float], start: float = 0.0, most: int | None = None
    ) -> None:
        self.passes = self.handed = 0
        self._most = most
        self._batches: list[weakref.ref[Any]] = []
        self._begin = lambda: self._deliver(clock, waits, start)

    def __iter__(self) -> Iterator[Any]:
        return self._begin()

    def kept(self) -> int:
        """Return how many of the batches are still in memory."""
        return sum(batch() is not None for batch in self._batches)

    def _deliver(self, clock: HandClock, waits: list[float], start: float) -> Iterator[Any]:
        import torch

        self.passes += 1
        with torch.profiler.record_function("work:load"):
            clock.pass_time(start)

        def batches() -> Iterator[Any]:
            for wait in waits:
                with torch.profiler.record_function("work:load"):
                    clock.pass_time(wait)
                if self.handed == self._most:
                    raise BrokenLoaderError("the next batch cannot be read")
                batch = [torch.full((3,), 2.0)]
                self.handed += 1
                self._batches.append(weakref.ref(batch[0]))
                yield batch.pop()

        return batches()


class DoublingClock:
    """A clock that stands at 2, 4, 8, ...: each span tells between which two readings it lies."""

    def __init__(self) -> None:
        self.now = 1.0

    def __call__(self) -> float:
        """Return the time, twice the time before."""
        self.now *= 2
        return self.now

    def pass_time(self, seconds: float) -> None:
        """Take no notice."""
