"""`postmortem.toml` as data, with everything that is wrong with it at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.checks.handed import HandedIn, refuse
from grader.errors import Problem

from .project import number

NAME = "postmortem.toml"
FAULTS = ("scaler", "clip", "sync", "break", "checkpoint")
MEASUREMENTS = (
    "zero_gradients", "gradient_ratio", "host_syncs", "graph_breaks", "resume_difference",
)  # fmt: skip

_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One guess, and the number that settled it."""

    fault: str
    verdict: str
    measurement: str
    number: float


@dataclass(frozen=True, slots=True)
class Postmortem:
    """What the file says."""

    fault: str
    threshold: float
    faulty: float
    repaired: float
    hypotheses: tuple[Hypothesis, ...]


def read_postmortem(handed_in: HandedIn) -> Postmortem:
    """Return the post-mortem, or end the check with every problem of the file."""
    reader = _Reader(handed_in)
    data = reader.file.data
    found = Postmortem(
        reader.word(data, ("fault",), FAULTS),
        reader.number(data, ("threshold",)),
        reader.number(reader.table("measurement"), ("measurement", "faulty")),
        reader.number(reader.table("measurement"), ("measurement", "repaired")),
        reader.hypotheses(data.get("hypothesis")),
    )
    for table, key in (("measurement", "what"), ("repair", "what"), ("guard", "what")):
        reader.sentence(reader.table(table), (table, key))
    if reader.problems:
        refuse(reader.problems)
    return found


class _Reader:
    """Collects problems while turning tables into records."""

    def __init__(self, handed_in: HandedIn) -> None:
        self.file = handed_in.toml(NAME, "write down what you found")
        self.problems: list[Problem] = []

    def complain(self, path: tuple[str | int, ...], seen: str, todo: str) -> None:
        self.problems.append(Problem(self.file.place(*path), seen, todo))

    def table(self, key: str) -> dict[str, Any]:
        value = self.file.data.get(key)
        return value if isinstance(value, dict) else {}

    def word(self, data: Any, path: tuple[str | int, ...], known: tuple[str, ...]) -> str:
        value = data.get(path[-1])
        if value not in known:
            self.complain(path, f"`{path[-1]}` is {value!r:.60}", f"use one of {', '.join(known)}")
        return str(value)

    def number(self, data: Any, path: tuple[str | int, ...]) -> float:
        value = number(data.get(path[-1]))
        if value is None:
            self.complain(path, f"`{path[-1]}` is no number", "write what you measured")
        return value or 0.0

    def sentence(self, data: Any, path: tuple[str | int, ...]) -> None:
        value = data.get(path[-1])
        if not isinstance(value, str) or len(value.split()) < _FEWEST_WORDS:
            name = ".".join(str(part + 1) if isinstance(part, int) else part for part in path)
            self.complain(path, f"`{name}` says nothing", "write a sentence")

    def hypotheses(self, tables: Any) -> tuple[Hypothesis, ...]:
        path: tuple[str | int, ...] = ("hypothesis",)
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            self.complain(path, "there are no hypotheses", "write [[hypothesis]] tables")
            return ()
        found = []
        for index, table in enumerate(tables):
            place = (*path, index)
            fault = self.word(table, (*place, "fault"), FAULTS)
            verdict = self.word(table, (*place, "verdict"), ("accepted", "rejected"))
            measurement = self.word(table, (*place, "measurement"), MEASUREMENTS)
            value = self.number(table, (*place, "number"))
            self.sentence(table, (*place, "because"))
            found.append(Hypothesis(fault, verdict, measurement, value))
        verdicts = [one.verdict for one in found]
        if verdicts.count("accepted") != 1 or "rejected" not in verdicts:
            counts = (verdicts.count(word) for word in ("accepted", "rejected"))
            seen = "{} accepted and {} rejected".format(*counts)
            self.complain(path, seen, "accept one hypothesis, reject one or more")
        if len({one.fault for one in found}) < len(found):
            self.complain(path, "a fault stands in two hypotheses", "name each once")
        return tuple(found)
