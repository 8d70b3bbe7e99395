"""Answers of the strangest shapes end as the student's problem in every check of the unit.

`tests/units/test_junk_answers.py` replaces what an answer is made of by a few simple things. Here
are more of them, and containers of the wrong kind, with the wrong keys or the wrong length.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.unit import stage_file
from grader.grading import open_sandbox
from grader.submission.folder import read_submission
from tests.units.course import CONTENT, UNITS

UNIT = UNITS["8.9"]

SPOIL = """

def _deep(levels):
    return [_deep(levels - 1)] if levels else "x"


def _spoiled(answer):
    if isinstance(answer, dict):
        return (DICT)({key: _spoiled(value) for key, value in answer.items()})
    if isinstance(answer, (list, tuple)):
        return (LIST)([_spoiled(value) for value in answer])
    return (LEAF)(answer)


def _spoiling(function):
    return lambda *args, **kwargs: (WHOLE)(_spoiled(function(*args, **kwargs)))


for _name in NAMES:
    globals()[_name] = _spoiling(globals()[_name])
"""
LEAVES = {
    "NaN": "lambda leaf: float('nan')",
    "infinity": "lambda leaf: float('inf')",
    "huge integer": "lambda leaf: 10**400",
    "huge negative integer": "lambda leaf: -(10**5000)",
    "true": "lambda leaf: True",
    "bytes": "lambda leaf: b'forward'",
    "wrong dict": "lambda leaf: {'x': 1, 2: 'y'}",
    "deep lists": "lambda leaf: _deep(40)",
    "text of any length": "lambda leaf: 'forward ' * 2000",
    "complex": "lambda leaf: 1j",
}
CONTAINERS = {
    "numbers as text": ("LEAF", "lambda leaf: str(leaf)"),
    "dicts with wrong keys": ("DICT", "lambda d: {f'{key}_': value for key, value in d.items()}"),
    "dicts with numbers as keys": ("DICT", "lambda d: dict(enumerate(d.values()))"),
    "dicts that lack a key": ("DICT", "lambda d: dict(list(d.items())[1:])"),
    "dicts as pairs": ("DICT", "lambda d: list(d.items())"),
    "dicts as text": ("DICT", "str"),
    "lists as text": ("LIST", "str"),
    "lists with one entry more": ("LIST", "lambda l: [*l, None]"),
    "lists with one entry less": ("LIST", "lambda l: l[:-1]"),
    "lists as dicts": ("LIST", "lambda l: dict(enumerate(l))"),
    "lists in lists": ("LIST", "lambda l: [l]"),
    "the answer in a list": ("WHOLE", "lambda answer: [answer]"),
    "the answer thrice": ("WHOLE", "lambda answer: {'a': answer, 'b': [answer, answer]}"),
    "no answer": ("WHOLE", "lambda answer: None"),
}
CASES = {name: ("LEAF", code) for name, code in LEAVES.items()} | CONTAINERS


@pytest.fixture(scope="module")
def bench():
    with open_sandbox(UNIT, CONTENT) as sandbox:
        yield Bench(UNIT, sandbox)


@pytest.mark.parametrize(("place", "code"), CASES.values(), ids=CASES)
def test_no_answer_ends_as_a_fault_of_the_grader(
    place: str, code: str, bench: Bench, tmp_path: Path
) -> None:
    work = tmp_path / UNIT.folder
    work.mkdir()
    for stage in ("numpy", "torch"):
        source = CONTENT.solutions / UNIT.folder / stage_file(stage)
        names = [task.function for task in UNIT.stage_tasks(stage)]
        text = SPOIL.replace("NAMES", repr(names)).replace(place, code)
        for other in ("DICT", "LIST", "LEAF", "WHOLE"):
            text = text.replace(f"({other})", "")
        (work / source.name).write_text(source.read_text(encoding="utf-8") + text, encoding="utf-8")
    run = run_checks(bench, read_submission(work, UNIT), CONTENT.solutions, "junk")
    assert {e.check: e.message for e in run.evidence if e.status is Status.FAULT} == {}
    assert not run.broken
    met = [e.check for e in run.evidence if e.status is Status.MET]
    if code in LEAVES.values():
        # those are met that look at traces and refusals alone
        assert len(met) < len(run.evidence) / 4, met
