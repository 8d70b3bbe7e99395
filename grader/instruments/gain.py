"""Judge from a record whether the variant is a gain; pure, no clock is read.

The statistic is the median over the rounds of A0 / B, on wall time less run-queue delay, with a
99 % bootstrap interval of a fixed seed. *gain* when the interval lies above 1.02, *slower* when it
lies below 1 / 1.02, *null* when it lies inside +-5 %, else *inconclusive*. The same statistic of
A0 / A1, which is the base against itself, must be neither a gain nor slower, otherwise the record
is *void*; when its interval reaches beyond +-10 %, the noise is too large for a verdict. A
difference of two means, or an interval without a tolerance, would call noise a gain.

`decide` measures until the verdict is out or the time is up; all rounds are pooled, none is picked.

Blind to: gains of less than 2 %, and whatever `speedup` is blind to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from grader.instruments.speedup import SpeedupRecord, measure_speedup, pool
from grader.instruments.stamp import LESS_DELAY, Stamp

TOLERANCE = 1.02
"""A ratio this near to 1 is no difference: two builds of one program can differ by as much."""

NULL = 1.05
"""An interval within this factor of 1, both ways, says that there is nothing to gain."""

WIDEST_CONTROL = 1.10
"""A base that may differ from itself by more than this factor tells nothing: a 99 % interval misses
the truth once in a hundred times, and beside so much noise the tolerance does not make up for it.
"""

CONFIDENCE = 0.99
RESAMPLES = 2000
FEWEST_ROUNDS = 20
CLAIM_MARGIN = 1.03


@dataclass(frozen=True, slots=True)
class Interval:
    """A median ratio and its 99 % bootstrap interval."""

    low: float
    middle: float
    high: float

    @property
    def says(self) -> str:
        """``"gain"``, ``"slower"``, ``"null"`` or ``"inconclusive"``."""
        if self.low > TOLERANCE:
            return "gain"
        if self.high < 1 / TOLERANCE:
            return "slower"
        return "null" if self.low >= 1 / NULL and self.high <= NULL else "inconclusive"


@dataclass(frozen=True, slots=True)
class GainVerdict:
    """What a record says.

    Attributes:
        state: ``"gain"``, ``"slower"``, ``"null"``, ``"inconclusive"`` or ``"void"``.
        speedup: A0 / B; above 1 the variant is faster.
        control: A0 / A1, the base against itself.
        cpu: A0 / B on CPU time, to look at beside it; nothing is decided by it.
        rounds: How many were judged.
        note: One sentence for a person.
    """

    state: str
    speedup: Interval
    control: Interval
    cpu: float
    rounds: int
    note: str

    def supports(self, claim: float) -> bool:
        """Whether a claimed speed-up lies in the interval, widened by 3 %; never when void."""
        low, high = self.speedup.low / CLAIM_MARGIN, self.speedup.high * CLAIM_MARGIN
        return self.state != "void" and low <= claim <= high


def judge(record: SpeedupRecord) -> GainVerdict:
    """Return the verdict on all rounds of the record; the order of the rounds does not matter."""
    known = record.clock == LESS_DELAY
    times = [tuple(_time(run, known) for run in samples) for samples in record.rounds]
    speedup = interval([a0 / b for a0, _, b in times])
    control = interval([a0 / a1 for a0, a1, _ in times])
    cpu = median(max(a0[1], 1) / max(b[1], 1) for a0, _, b in record.rounds) if times else 1.0
    count = len(times)
    if count < FEWEST_ROUNDS:
        state, note = "inconclusive", f"{count} rounds are too few to judge"
    elif control.says in ("gain", "slower"):
        state = "void"
        note = f"the base differs from itself by a factor {control.middle:.3f}: nothing can be said"
    elif not 1 / WIDEST_CONTROL <= control.low <= control.high <= WIDEST_CONTROL:
        state = "inconclusive"
        note = (
            f"too noisy: the base against itself is {control.low:.2f} to {control.high:.2f}, "
            f"{count} rounds"
        )
    else:
        state = speedup.says
        note = (
            f"{state}: {speedup.middle:.3f}x, 99 % interval {speedup.low:.3f} to "
            f"{speedup.high:.3f}, {count} rounds"
        )
    return GainVerdict(state, speedup, control, cpu, count, note)


def interval(ratios: Sequence[float], seed: int = 0) -> Interval:
    """Return the median of the ratios with its bootstrap interval; 1 without bounds if empty."""
    import numpy as np

    if not ratios:
        return Interval(0.0, 1.0, float("inf"))
    ordered = np.sort(np.asarray(ratios, dtype=np.float64))
    draws = np.random.default_rng(seed).random((RESAMPLES, len(ordered)))
    medians = np.median(ordered[(draws * len(ordered)).astype(np.int64)], axis=1)
    low, high = np.quantile(medians, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(np.median(ordered)), float(high))


def decide(
    base: Callable[[], object],
    variant: Callable[[], object],
    *,
    seed: int,
    rounds: int = 100,
    most_rounds: int = 400,
    budget: float = 20.0,
) -> tuple[SpeedupRecord, GainVerdict]:
    """Measure `rounds` rounds, and as many again while undecided, up to `most_rounds`.

    Returns:
        The pooled record and its verdict.
    """
    end = time.monotonic() + budget
    record = measure_speedup(base, variant, seed=seed, rounds=rounds, budget=budget)
    verdict = judge(record)
    while verdict.state == "inconclusive" and len(record.rounds) < most_rounds:
        left = end - time.monotonic()
        if left <= 0:
            break
        more = measure_speedup(
            base,
            variant,
            seed=seed + len(record.seeds),
            rounds=min(rounds, most_rounds - len(record.rounds)),
            warmup=1,
            budget=left,
            calls=record.calls,
        )
        record = pool([record, more])
        verdict = judge(record)
    return record, verdict


def answers_known_question() -> bool:
    """Whether a variant that takes 70 % of the base is a gain of 1.43, and the base itself null."""

    def record(b: int) -> SpeedupRecord:
        runs = tuple(((wall, wall, 0), (wall, wall, 0), (b, b, 0)) for wall in (100,) * 20)
        return SpeedupRecord(runs, ("A0 A1 B",) * 20, 1, (0,), LESS_DELAY)

    faster, same = judge(record(70)), judge(record(100))
    return faster.state == "gain" and faster.supports(1.43) and same.state == "null"


def _time(run: tuple[int, int, int], known: bool) -> int:
    """Return the time of one run that is judged, at least 1 [ns]."""
    return max(Stamp(*run).less_delay if known else run[0], 1)
