"""`optimization.toml` as data, with everything that is wrong with it at once."""

from __future__ import annotations

from dataclasses import dataclass

from grader.checks.handed import HandedIn, refuse
from grader.errors import Problem

from .project import number

NAME = "optimization.toml"
KINDS = ("autocast", "checkpointing", "compile", "loader", "optimizer")
CAUSES = ("same_work", "small_phase", "bound_elsewhere", "overhead")
LARGEST_TOLERANCE = 0.1
FEWEST_REPEATS = 20


@dataclass(frozen=True, slots=True)
class Claim:
    """What the file claims; see its comments."""

    of: str
    claim: str
    ratio: float
    tolerance: float


def read_tolerance(handed_in: HandedIn) -> float:
    """Return the declared tolerance, or end the check with what is wrong with it alone."""
    file = handed_in.toml(NAME, "write down what you claim")
    said = file.data.get("tolerance")
    value = number(said)
    if value is None or not 0 <= value <= LARGEST_TOLERANCE:
        seen = f"`tolerance` is {said!r:.60}"
        refuse([Problem(file.place("tolerance"), seen, f"declare {LARGEST_TOLERANCE:g} at most")])
    return value


def read_optimization(handed_in: HandedIn) -> Claim:
    """Return the claim, or end the check with every problem of the file."""
    file = handed_in.toml(NAME, "write down what you claim")
    data, problems = file.data, list[Problem]()

    def complain(key: str, todo: str) -> None:
        problems.append(Problem(file.place(key), f"`{key}` is {data.get(key)!r:.60}", todo))

    for key, known in (("kind", KINDS), ("of", ("time", "memory")), ("claim", ("gain", "null"))):
        if data.get(key) not in known:
            complain(key, f"use one of {', '.join(known)}")
    values = {key: number(data.get(key)) for key in ("ratio", "low", "high", "tolerance")}
    for key, value in values.items():
        if value is None or value < 0 or (key != "tolerance" and value == 0):
            complain(key, "write a positive number")
    low, ratio, high = (values[key] or 0.0 for key in ("low", "ratio", "high"))
    if not low <= ratio <= high:
        complain("ratio", f"it lies outside its own interval, {low:g} to {high:g}")
    if (values["tolerance"] or 0.0) > LARGEST_TOLERANCE:
        complain("tolerance", f"declare {LARGEST_TOLERANCE:g} at most")
    if data.get("claim") == "gain" and low <= 1:
        complain("low", "the interval of a gain lies above 1")
    if data.get("claim") == "null" and not low <= 1 <= high:
        complain("low", "the interval of a null contains 1")
    if data.get("claim") == "null" and data.get("cause") not in CAUSES:
        complain("cause", f"a null has one of the causes {', '.join(CAUSES)}")
    repeats = data.get("repeats")
    if data.get("of") == "time" and (type(repeats) is not int or repeats < FEWEST_REPEATS):
        complain("repeats", f"a time is measured {FEWEST_REPEATS} times or more")
    if not isinstance(data.get("because"), str) or len(data["because"].split()) < 4:
        complain("because", "write a sentence")
    if problems:
        refuse(problems)
    return Claim(data["of"], data["claim"], ratio, values["tolerance"] or 0.0)
