"""Judge from a record which phase is the slowest; pure, no clock is read.

A phase's time is the median over the steps of wall time less run-queue delay. With r = a phase's
time / the slowest phase's time, "this phase is the slowest" is accepted from r = 0.8, rejected up
to r = 0.5, and between the two nobody can say: the same ratio moves by 10 to 20 % from process to
process. When a claim is inconclusive, measure again and judge the pooled records.

Where the kernel does not report the delay, the lower decile of the wall times stands in for the
median, and the bands are wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from grader.instruments.phases import PhaseRecord
from grader.instruments.stamp import LESS_DELAY, Stamp

ACCEPT, REJECT = 0.8, 0.5
"""Shares of the slowest phase's time, when the run-queue delay is known."""

ACCEPT_WALL, REJECT_WALL = 0.9, 0.4
"""Wider bands for the wall clock alone, where the lower decile of the steps stands in."""

LEAST_RUNNING = 0.05
"""Below this share of wall time spent otherwise than waiting for a CPU, nothing is judged."""

FEWEST_STEPS = 10


@dataclass(frozen=True, slots=True)
class PhaseVerdict:
    """What a record says.

    Attributes:
        state: ``"judged"``, ``"inconclusive"`` when some phase lies between the bands, or ``"too
            disturbed"``.
        slowest: The phase with the largest time; empty when too disturbed.
        times: Each phase's time [ns].
        ratios: Each phase's time over the slowest phase's.
        accepts: Phases that may be called the slowest.
        rejects: Phases that are not the slowest.
        note: One sentence for a person.
    """

    state: str
    slowest: str
    times: dict[str, float]
    ratios: dict[str, float]
    accepts: tuple[str, ...]
    rejects: tuple[str, ...]
    note: str

    def on(self, claim: str) -> str:
        """Return ``"accepted"``, ``"rejected"``, ``"inconclusive"`` or ``"too disturbed"``."""
        if self.state == "too disturbed":
            return self.state
        if claim in self.accepts:
            return "accepted"
        return "inconclusive" if claim in self.ratios and claim not in self.rejects else "rejected"


def judge(record: PhaseRecord) -> PhaseVerdict:
    """Return the verdict on the record's blocks taken together; pure."""
    steps = [step for block in record.blocks for step in block]
    known = record.clock == LESS_DELAY
    accept, reject = (ACCEPT, REJECT) if known else (ACCEPT_WALL, REJECT_WALL)
    times = _times(record.phases, steps, known)
    slowest = max(times, key=lambda phase: times[phase], default="")
    if len(steps) < FEWEST_STEPS or not times or times[slowest] <= 0:
        return _disturbed(times, f"{len(steps)} steps are too few to judge")
    ratios = {phase: time / times[slowest] for phase, time in times.items()}
    running = _running_share(steps)
    if running < LEAST_RUNNING:
        return _disturbed(times, f"the thread waited for a CPU {1 - running:.0%} of the time")
    if _blocks_disagree(record, known):
        return _disturbed(times, "repeated blocks name different phases, more than 2x apart")
    accepts = tuple(phase for phase in record.phases if ratios[phase] >= accept)
    rejects = tuple(phase for phase in record.phases if ratios[phase] <= reject)
    between = [phase for phase in record.phases if phase not in accepts + rejects]
    note = f"{slowest} is the slowest phase, {times[slowest] / 1e6:.3g} ms of {len(steps)} steps"
    if len(accepts) > 1:
        note += f"; too close to tell apart: {', '.join(accepts)}"
    if between:
        note += f"; undecided: {', '.join(between)}"
    return PhaseVerdict(
        "inconclusive" if between else "judged", slowest, times, ratios, accepts, rejects, note
    )


def quartiles(record: PhaseRecord) -> dict[str, tuple[float, float, float]]:
    """Return the lower quartile, the median and the upper quartile of each phase [ns].

    They show the spread to a person; nothing is decided by them. All blocks count, and times are
    less the run-queue delay where that is known.
    """
    steps = [step for block in record.blocks for step in block]
    known, found = record.clock == LESS_DELAY, {}
    for index, phase in enumerate(record.phases if len(steps) > 1 else ()):
        spans = [step[index] for step in steps]
        times = [Stamp(*span).less_delay if known else span[0] for span in spans]
        low, middle, high = quantiles(times, n=4, method="inclusive")
        found[phase] = (low, middle, high)
    return found


def answers_known_question() -> bool:
    """Whether a record with phases of 10, 8 and 5 ns is judged as it must be."""
    step = ((15, 10, 5), (8, 8, 0), (5, 5, 0))
    verdict = judge(PhaseRecord(("one", "two", "three"), ((step,) * FEWEST_STEPS,), LESS_DELAY))
    return (verdict.slowest, verdict.accepts, verdict.rejects) == (
        "one",
        ("one", "two"),
        ("three",),
    )


def _times(
    phases: tuple[str, ...], steps: Sequence[tuple[tuple[int, int, int], ...]], known: bool
) -> dict[str, float]:
    """Return each phase's time [ns]: the median less delay, or the lower decile of the wall."""
    times: dict[str, float] = {}
    for index, phase in enumerate(phases):
        if not steps:
            continue
        if known:
            times[phase] = median(Stamp(*step[index]).less_delay for step in steps)
        else:
            times[phase] = sorted(step[index][0] for step in steps)[len(steps) // 10]
    return times


def _running_share(steps: Sequence[tuple[tuple[int, int, int], ...]]) -> float:
    """Return the share of all wall time in which the thread did not wait for a CPU."""
    wall = sum(span[0] for step in steps for span in step)
    less = sum(Stamp(*span).less_delay for step in steps for span in step)
    return less / wall if wall > 0 else 1.0


def _blocks_disagree(record: PhaseRecord, known: bool) -> bool:
    """Whether one block's slowest phase is at most half the slowest in another block."""
    tables = [_times(record.phases, block, known) for block in record.blocks if block]
    tops = {max(table, key=lambda phase: table[phase]) for table in tables}
    return any(table[top] * 2 < max(table.values()) for table in tables for top in tops)


def _disturbed(times: dict[str, float], why: str) -> PhaseVerdict:
    return PhaseVerdict("too disturbed", "", times, {}, (), (), why)
