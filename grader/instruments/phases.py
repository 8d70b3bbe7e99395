"""Time the five phases of a training step, step by step, into a record of raw samples.

`slowest_phase.judge` reads such a record. Measuring again is a new record: `pool` both, never pick
one. Every sample has three clocks, see `stamp`.

Blind to: work a device does later (give `synchronize`), waiting inside worker processes of a loader
(use none), and everything with more than one compute thread: the threads spin at barriers. A
boundary costs 4 to 7 us, so phases of less than about 50 us are overstated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from grader.instruments.environment import describe
from grader.instruments.stamp import Clock, Stamp

PHASES = ("data_wait", "transfer", "forward", "backward", "optimizer")


@dataclass(frozen=True, slots=True)
class PhaseRecord:
    """Raw samples of one or more blocks of steps.

    Attributes:
        phases: Names, in the order of a step.
        blocks: ``blocks[block][step][phase]`` is (wall, cpu, delay), each in [ns].
        clock: `stamp.LESS_DELAY` or `stamp.WALL`.
        environments: Versions, threads and load, one of each block.
    """

    phases: tuple[str, ...]
    blocks: tuple[tuple[tuple[tuple[int, int, int], ...], ...], ...]
    clock: str
    environments: tuple[dict[str, Any], ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the record as plain data; `record_of` is the way back."""
        return asdict(self)


class StepsInPhases(Protocol):
    """A trainer whose phases can be called one by one."""

    def fetch(self, iterator: Iterator[Any]) -> Any:
        """The wait for data."""
        ...

    def transfer(self, batch: Any) -> Any:
        """The transfer; returns (x, y)."""
        ...

    def forward(self, x: Any, y: Any) -> Any:
        """The forward; returns the loss."""
        ...

    def backward(self, loss: Any) -> Any:
        """The backward."""
        ...

    def update(self) -> Any:
        """The optimizer."""
        ...


class PhaseTimer:
    """Collects one block of steps, phase by phase.

    Call `begin` at the start of a step and `mark` at the end of each phase; the next phase begins
    there. A phase that is not marked in a step counts as 0 in it, one marked twice is added up.
    """

    def __init__(
        self,
        phases: Sequence[str] = PHASES,
        synchronize: Callable[[], object] | None = None,
        stamp: Callable[[], Stamp] | None = None,
    ) -> None:
        """Start an empty block.

        Args:
            phases: Their names.
            synchronize: Waits for a device; called before every stamp.
            stamp: Another clock, such as a simulated one.
        """
        self.phases = tuple(phases)
        self._clock = Clock()
        self._stamp = stamp or self._clock.stamp
        self._synchronize = synchronize
        self._steps: list[dict[str, Stamp]] = []
        self._last = Stamp(0, 0, 0)

    def begin(self) -> None:
        """Begin a step."""
        self._steps.append({})
        self._last = self._now()

    def mark(self, phase: str) -> None:
        """End `phase`, which began at the last mark.

        Raises:
            ValueError: If there is no such phase.
        """
        if phase not in self.phases:
            raise ValueError(f"{phase!r} is not one of {', '.join(self.phases)}")
        now = self._now()
        span, before = now.since(self._last), self._steps[-1].get(phase, Stamp(0, 0, 0))
        self._steps[-1][phase] = Stamp(
            span.wall + before.wall, span.cpu + before.cpu, span.delay + before.delay
        )
        self._last = now

    def drop_warmup(self, steps: int) -> None:
        """Forget the first `steps` steps."""
        del self._steps[:steps]

    def record(self) -> PhaseRecord:
        """Return what was collected, as a record of one block, and stop the clock."""
        none = Stamp(0, 0, 0)
        block = tuple(
            tuple(
                (span.wall, span.cpu, span.delay)
                for span in (step.get(phase, none) for phase in self.phases)
            )
            for step in self._steps
        )
        clock = self._clock.name
        self._clock.close()
        return PhaseRecord(self.phases, (block,), clock, (describe(),))

    def _now(self) -> Stamp:
        if self._synchronize is not None:
            self._synchronize()
        return self._stamp()


def measure_phases(
    trainer: StepsInPhases,
    iterator: Iterator[Any],
    *,
    warmup: int = 5,
    steps: int = 30,
    synchronize: Callable[[], object] | None = None,
) -> PhaseRecord:
    """Time `steps` steps after `warmup` untimed ones; the wait for data is a phase of its own."""
    timer = PhaseTimer(synchronize=synchronize)
    for _ in range(warmup + steps):
        timer.begin()
        batch = trainer.fetch(iterator)
        timer.mark("data_wait")
        x, y = trainer.transfer(batch)
        timer.mark("transfer")
        loss = trainer.forward(x, y)
        timer.mark("forward")
        trainer.backward(loss)
        timer.mark("backward")
        trainer.update()
        timer.mark("optimizer")
    timer.drop_warmup(warmup)
    return timer.record()


def record_of(data: dict[str, Any]) -> PhaseRecord:
    """Return the record that plain data from `PhaseRecord.as_data` stands for.

    Raises:
        ValueError: If the data is not one.
    """
    try:
        blocks = tuple(
            tuple(
                tuple((int(wall), int(cpu), int(delay)) for wall, cpu, delay in step)
                for step in block
            )
            for block in data["blocks"]
        )
        phases = tuple(str(phase) for phase in data["phases"])
        if any(len(step) != len(phases) for block in blocks for step in block):
            raise ValueError("a step has another number of phases than the record")
        return PhaseRecord(phases, blocks, str(data["clock"]), tuple(data["environments"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a phase record: {error}") from error


def pool(records: Sequence[PhaseRecord]) -> PhaseRecord:
    """Return one record with the blocks of all.

    Raises:
        ValueError: If there is none, or they have different phases or clocks.
    """
    if len({(record.phases, record.clock) for record in records}) != 1:
        raise ValueError("only records of the same phases and the same clock can be pooled")
    return PhaseRecord(
        records[0].phases,
        tuple(block for record in records for block in record.blocks),
        records[0].clock,
        tuple(environment for record in records for environment in record.environments),
    )


def answers_known_question() -> bool:
    """Whether three steps on a known clock come out with that clock's figures."""
    moments = iter([Stamp(0, 0, 0), Stamp(7, 0, 2), Stamp(10, 0, 2)] * 3)
    timer = PhaseTimer(("one", "two"), stamp=lambda: next(moments))
    for _ in range(3):
        timer.begin()
        timer.mark("one")
        timer.mark("two")
    return timer.record().blocks == ((((7, 0, 2), (3, 0, 0)),) * 3,)
