"""Time a base and a variant against each other, in short runs in random order, into a record.

One round runs A0, A1 and B in an order drawn from the record's seed: A0 and A1 are both the base,
B is the variant. Drift and disturbance hit all three alike; what A0 and A1 differ by is noise, and
`gain.judge` uses it as a negative control. Runs are short (about 2 ms), since a run longer than the
scheduler's slice is always interrupted.

Blind to: whether both compute the same (check outputs and state), work that a device does later
(wait for it inside the callables), costs that come once (compilation, caches: warm-up is not
timed), and differences of less than 2 %, which memory layout alone can make.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grader.instruments.environment import describe
from grader.instruments.stamp import Clock, Stamp

RUN = 2_000_000
"""Length of a run that calls are repeated to reach [ns]."""

MOST_CALLS = 10_000

Sample = tuple[int, int, int]
"""One run: (wall, cpu, delay), each in [ns]."""


@dataclass(frozen=True, slots=True)
class SpeedupRecord:
    """Raw samples of all rounds.

    Attributes:
        rounds: ``(A0, A1, B)`` of each round, whatever order they ran in.
        orders: The order of each round, such as ``"A1 B A0"``.
        calls: Calls in one run, the same for all three.
        seeds: What the orders were drawn from, one of each block.
        clock: `stamp.LESS_DELAY` or `stamp.WALL`.
        environments: Versions, threads and load, one of each block.
    """

    rounds: tuple[tuple[Sample, Sample, Sample], ...]
    orders: tuple[str, ...]
    calls: int
    seeds: tuple[int, ...]
    clock: str
    environments: tuple[dict[str, Any], ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the record as plain data; `record_of` is the way back."""
        return asdict(self)


def measure_speedup(
    base: Callable[[], object],
    variant: Callable[[], object],
    *,
    seed: int,
    rounds: int = 100,
    warmup: int = 5,
    budget: float = 20.0,
    calls: int | None = None,
) -> SpeedupRecord:
    """Run `rounds` rounds, fewer if the time is up.

    Args:
        base: One call of what is to be improved; it must finish its work before it returns.
        variant: One call of the claimed improvement.
        seed: Draws the order within each round.
        rounds: How many.
        warmup: Rounds before these that are not recorded.
        budget: No round begins after this time [s].
        calls: Calls in a run; None picks what makes a run of the base about 2 ms long.
    """
    with Clock() as clock:
        deadline = clock.stamp().wall + round(budget * 1e9)
        for _ in range(warmup):
            base()
            variant()
        calls = calls or _calls_for(base, clock)
        runs = (("A0", base), ("A1", base), ("B", variant))
        samples: list[tuple[Sample, Sample, Sample]] = []
        orders: list[str] = []
        draw = random.Random(seed)
        while len(samples) < rounds and (not samples or clock.stamp().wall < deadline):
            order = list(runs)
            draw.shuffle(order)
            seen = {name: _run(work, calls, clock) for name, work in order}
            samples.append((seen["A0"], seen["A1"], seen["B"]))
            orders.append(" ".join(name for name, _ in order))
        return SpeedupRecord(
            tuple(samples), tuple(orders), calls, (seed,), clock.name, (describe(),)
        )


def record_of(data: dict[str, Any]) -> SpeedupRecord:
    """Return the record that plain data from `SpeedupRecord.as_data` stands for.

    Raises:
        ValueError: If the data is not one.
    """
    try:
        rounds = tuple(
            tuple((int(wall), int(cpu), int(delay)) for wall, cpu, delay in samples)
            for samples in data["rounds"]
        )
        if any(len(samples) != 3 for samples in rounds):
            raise ValueError("a round has not three runs")
        return SpeedupRecord(
            rounds,  # type: ignore[arg-type]  # three runs each, just checked
            tuple(map(str, data["orders"])),
            int(data["calls"]),
            tuple(map(int, data["seeds"])),
            str(data["clock"]),
            tuple(data["environments"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a speed-up record: {error}") from error


def pool(records: Sequence[SpeedupRecord]) -> SpeedupRecord:
    """Return one record with the rounds of all.

    Raises:
        ValueError: If there is none, or they differ in calls or clock.
    """
    if len({(record.calls, record.clock) for record in records}) != 1:
        raise ValueError(
            "only records with the same calls in a run and the same clock can be pooled"
        )
    return SpeedupRecord(
        tuple(samples for record in records for samples in record.rounds),
        tuple(order for record in records for order in record.orders),
        records[0].calls,
        tuple(seed for record in records for seed in record.seeds),
        records[0].clock,
        tuple(environment for record in records for environment in record.environments),
    )


def answers_known_question() -> bool:
    """Whether every run makes the calls it should: in 3 rounds of 2 calls, 12 of A and 6 of B."""
    made = {"A": 0, "B": 0}

    def count(name: str) -> None:
        made[name] += 1

    record = measure_speedup(
        lambda: count("A"), lambda: count("B"), seed=0, rounds=3, warmup=0, calls=2
    )
    return made == {"A": 12, "B": 6} and len(record.rounds) == len(record.orders) == 3


def _calls_for(work: Callable[[], object], clock: Clock) -> int:
    """Return how many calls make a run of about `RUN`, from the fastest of a few growing runs."""
    calls = 1
    while calls < MOST_CALLS:
        fastest = min(Stamp(*_run(work, calls, clock)).less_delay for _ in range(3))
        if fastest * 4 >= RUN:
            return max(1, round(calls * RUN / fastest))
        calls *= 4
    return MOST_CALLS


def _run(work: Callable[[], object], calls: int, clock: Clock) -> Sample:
    """Return one run's sample."""
    before = clock.stamp()
    for _ in range(calls):
        work()
    span = clock.stamp().since(before)
    return span.wall, span.cpu, span.delay
