"""What the checks of the NumPy stage share: programs that are none, and values of many calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from grader.checks.expect import Expect
from grader.checks.many import Call, values_of
from grader.checks.subject import Subject

from .lived import Op, op_of

BAD_TIMES = {"negative": -1, "NaN": math.nan, "infinite": math.inf}
"""What is no time [us], by a word for it."""


def plain_values(
    student: Subject, expect: Expect, function: str, calls: Sequence[Call]
) -> list[Any]:
    """Return the value of each call; none of them may raise."""
    return [value for _, value in values_of(student, expect, function, calls)]


def good_program() -> list[Op]:
    """Return a short program with an op of the device and one of the host."""
    return [op_of("a", "main", 1, 5, kind="compute"), op_of("host", None, 2)]


def with_bad_references() -> dict[str, list[Op]]:
    """Return programs with doubled names and wrong references, by why they are refused."""
    last = {
        "if two ops have the same name": op_of("a", "side"),
        "if an op of the host has the name of another op": op_of("a", None),
        "if a host's op has an `after`": op_of("b", None, 1, 0, after=["a"]),
        "if `after` names an op that is unknown": op_of("b", after=["c"]),
        "if `after` names the op itself": op_of("b", after=["b"]),
        "if `after` names a host's op": op_of("b", after=["host"]),
        "if `after` names a host's op beside a good one": op_of("b", after=["a", "host"]),
        "if `waits` names an op that is unknown": op_of("b", waits=["a", "c"]),
        "if `waits` names a host's op": op_of("b", waits=["host"]),
        "if a host's op waits for itself": op_of("b", None, waits=["b"]),
        "if a host's op waits for itself and a good one": op_of("b", None, waits=["a", "b"]),
        "if `waits` is another word than all": op_of("b", waits="none"),
    }
    programs = {why: [*good_program(), op] for why, op in last.items()}
    for key in ("after", "waits"):
        early = op_of("b", **{key: ["a"]})
        programs[f"if `{key}` names an op that comes later"] = [early, *good_program()]
    return {why: [_of_a_kind(op) for op in ops] for why, ops in programs.items()}


def with_bad_times() -> dict[str, list[Op]]:
    """Return programs with times that are none, by why they are refused."""
    programs = {"if a host's op has device time": [*good_program(), op_of("b", None, 1, 3)]}
    for key, (word, value), stream in product(
        ("launch", "device"), BAD_TIMES.items(), ("main", None)
    ):
        whose = "a host's op" if stream is None else "an op"
        why = f"if the {key} time of {whose} is {word}"
        programs[why] = [*good_program(), _of_a_kind({**op_of("b", stream), key: value})]
    return programs


def _of_a_kind(op: Op) -> Op:
    """Return an op with a kind if it has a stream, so that the kind is no reason to refuse it."""
    return op if op["stream"] is None else {**op, "kind": "compute"}
