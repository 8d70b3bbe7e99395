"""Hidden checks of the phase tables and of the profile that was handed in."""

from __future__ import annotations

from typing import Any

from grader.checks import check
from grader.checks.compare import show
from grader.checks.handed import refuse
from grader.errors import Problem

from .project import number
from .tables import PHASES, costs, medians, table_of

NAME = "profile.toml"
EXACT = 1e-9
"""Sums of a few hundred doubles below 100 s: an error of 1e-12 s at most."""


def _case(draw: Any, steps: int = 20) -> dict[str, Any]:
    warmup = draw.integer(2, 4)
    return {
        "steps": steps,
        "warmup": warmup,
        "start": draw.uniform(1.0, 50.0),
        "queued": draw.uniform(0.05, 0.1),
        "costs": costs(draw, steps + warmup),
        "unsynced": None,
    }


def _expect_table(expect: Any, table: Any, want: dict[str, list[float]], words: str) -> None:
    expect.keys(table, PHASES, what=words)
    for phase in PHASES:
        expect.close(table[phase], want[phase], atol=EXACT, what=f"{phase} of {words}", unit="s")


@check("mini-project.a", row="timing")
def test_each_phase_has_its_own_time(student, draw, expect):
    """With every sync, each phase is as long as its own work; the wait is outside the step."""
    case = _case(draw, draw.integer(20, 24))
    seen = student.run("timed", case)
    _expect_table(expect, seen["table"], table_of(case), "the honest table")
    count = len(case["costs"])
    what = "the phases that were run, in order"
    expect.equal(seen["calls"], list(PHASES) * count, what=what)


@check("mini-project.a", row="timing")
def test_fewer_than_20_repeats_are_refused(student, draw, expect):
    """A table of fewer than 20 repeats is refused."""
    for steps in (19, draw.integer(1, 18)):
        raised = student.run("few_repeats", {"steps": steps})
        message = f"phase_table must raise ValueError for {steps} repeats."
        expect.that(raised == "ValueError", message, raised or "nothing raised")


@check("mini-project.a", row="timing", level="strong")
def test_one_sync_less_moves_the_time(student, draw, expect):
    """Without the sync after one phase, its time is where a clock of the host sees it."""
    for phase in draw.shuffled(PHASES[1:]):
        case = {**_case(draw), "unsynced": phase}
        seen = student.run("timed", case)
        words = f"the table without the sync after {phase}"
        _expect_table(expect, seen["table"], table_of(case, phase), words)


@check("mini-project.b", row="timing", level="strong")
def test_the_text_names_the_sync(student, draw, expect):
    """Of two tables that differ in one sync, the text names that sync, and who pays for it."""
    cases = [(phase, (0.001, 0.003)) for phase in PHASES[1:]] + [("update", (0.03, 0.04))]
    for phase, wait in draw.shuffled(cases):
        case = _case(draw)
        case["costs"] = costs(draw, len(case["costs"]), wait)
        honest, other = table_of(case), table_of(case, phase)
        before, after = medians(honest), medians(other)
        paid = max(PHASES, key=lambda name: after[name] - before[name])
        gain = after[paid] - before[paid]
        wanted = paid if gain > 0.01 * (before[phase] - after[phase]) else None
        said = student.run("moved", {"honest": honest, "other": other})
        words = f"two tables, the second without the sync after {phase}"
        expect.keys(said, ("missing_after", "paid_by", "says"), what=f"the answer for {words}")
        expect.equal(said["missing_after"], phase, what=f"missing_after for {words}")
        expect.equal(said["paid_by"], wanted, what=f"paid_by for {words}")
        text = said["says"] if isinstance(said["says"], str) else ""
        named = phase in text and (wanted or "nothing") in text
        expect.that(named, f"The sentence for {words} does not name {phase} and who paid.", text)
    same = _case(draw)
    answer = student.attempt("moved", {"honest": table_of(same), "other": table_of(same)})
    refused = answer.error is not None and answer.error.type == "ValueError"
    expect.that(refused, "Two tables without a difference must raise ValueError.")


@check("mini-project.a", row="timing", person=True)
def test_the_profile_is_of_this_run(student, handed_in, draw, expect):
    """The profile that was handed in has 20 repeats or more, and names a phase that is slowest."""
    student.run("timed", _case(draw))  # a stub is told as one
    file = handed_in.toml(NAME, "write down what you measured")
    data, problems = file.data, []
    for key, least in (("repeats", 20), ("warmup", 1)):
        value = data.get(key)
        if type(value) is not int or value < least:
            seen = f"`{key}` is {show(value)}"
            problems.append(Problem(file.place(key), seen, f"{least} or more"))
    table = data.get("median")
    times = {
        phase: number(table.get(phase)) if isinstance(table, dict) else None for phase in PHASES
    }
    for phase, time in times.items():
        if time is None or not time > 0:
            place = file.place("median", phase)
            seen = f"`{phase}` has no time above 0"
            problems.append(Problem(place, seen, "write its median in seconds"))
    slowest = data.get("slowest")
    if slowest not in PHASES:
        seen = f"`slowest` is {show(slowest)}"
        problems.append(Problem(file.place("slowest"), seen, f"one of {', '.join(PHASES)}"))
    if not isinstance(data.get("method"), str) or len(data["method"].split()) < 4:
        problems.append(Problem(file.place("method"), "`method` says nothing", "write a sentence"))
    if problems:
        refuse(problems)
    largest = max(PHASES, key=lambda phase: times[phase])
    message = f"{NAME}: `slowest` is {slowest}, but the largest median of the table is {largest}."
    expect.that(slowest == largest, message, slowest)
    seen = student.run("measure_slowest", {"seed": draw.seed})
    message = (
        f"{NAME}: `slowest` is {slowest}, and the measurement says that it is not: {seen['note']}"
    )
    expect.that(slowest not in seen["rejects"], message, slowest)
