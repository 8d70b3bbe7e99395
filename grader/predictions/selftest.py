"""The self-test of a unit: answers held against the key, each with a pointer to where to look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from grader.errors import CourseError, Problem, SheetError
from grader.predictions.advice import nearest, quote
from grader.predictions.gap import within
from grader.predictions.quantity import Quantity, QuantityError
from grader.predictions.sheet import check_words, in_order, read_number
from grader.predictions.tomlfile import TomlFile, read_toml
from grader.predictions.units import FAMILIES

SELFTEST_FILE = "selftest.toml"
TOLERANCE = 0.01
"""Relative tolerance for a number [1]."""

_KINDS = ("choice", "number", "word")


class Mark(StrEnum):
    """What an answer is."""

    RIGHT = "right"
    WRONG = "wrong"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class SelfTestQuestion:
    """One question with its key.

    Attributes:
        id: For example ``q1``.
        text: The question.
        kind: ``choice``, ``number`` or ``word``.
        answers: What is right; several spellings of a word may be.
        choices: The words a choice may be.
        unit: Base unit of a number, ``1`` for a plain one.
        pointer: Where to look when it is wrong.
    """

    id: str
    text: str
    kind: str
    answers: tuple[str | int | float, ...]
    choices: tuple[str, ...] = ()
    unit: str = "1"
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """One answer, marked: what was asked and `given`, and where to look if it is not right."""

    id: str
    text: str
    mark: Mark
    given: str
    pointer: str


def read_key(path: Path) -> tuple[SelfTestQuestion, ...]:
    """Read the key of a unit's self-test, a `selftest.toml` with every answer filled in.

    Raises:
        CourseError: with every problem of the file, an author's concern.
    """
    try:
        file = read_toml(path)
    except SheetError as error:
        raise CourseError(error.problems) from error
    problems = list(file.problems)
    questions = []
    for index, table in _tables(file, problems):
        try:
            questions.append(_question(table))
        except (QuantityError, KeyError, TypeError) as error:
            seen = f"question {table.get('id', index + 1)!r}: {error}"
            problems.append(Problem(file.place("question", index), seen))
    if problems:
        raise CourseError(in_order(problems))
    return tuple(questions)


def read_answers(path: Path, key: Sequence[SelfTestQuestion]) -> dict[str, str | Quantity]:
    """Read a student's `selftest.toml`; blank answers are left out.

    Raises:
        SheetError: with every problem of the file, in the order of its lines.
    """
    file = read_toml(path)
    problems = list(file.problems)
    questions = {question.id: question for question in key}
    answers: dict[str, str | Quantity] = {}
    seen_ids: set[str] = set()
    for index, table in _tables(file, problems):
        name, place = str(table.get("id", "")), ("question", index)
        question = questions.get(name)
        if question is None:
            near = nearest(name, questions)
            todo = f"did you mean '{near}'?" if near else f"use one of {', '.join(questions)}"
            place_id = file.place(*place, "id")
            problems.append(Problem(place_id, f"there is no question '{quote(name)}'", todo))
        elif name in seen_ids:
            seen = f"question '{name}' is there twice"
            problems.append(Problem(file.place(*place), seen, "keep one"))
        else:
            seen_ids.add(name)
            try:
                answer = _answer(question, table.get("answer", ""))
            except QuantityError as error:
                problems.append(Problem(file.place(*place, "answer"), f"'{name}': {error}"))
            else:
                if answer is not None:
                    answers[name] = answer
    if problems:
        raise SheetError(in_order(problems))
    return answers


def mark_answers(
    key: Sequence[SelfTestQuestion], answers: Mapping[str, str | Quantity]
) -> tuple[MarkedAnswer, ...]:
    """Mark every question in the key's order. Pure."""
    return tuple(_marked(question, answers.get(question.id)) for question in key)


def _marked(question: SelfTestQuestion, given: str | Quantity | None) -> MarkedAnswer:
    if given is None:
        mark, text = Mark.BLANK, ""
    else:
        mark = Mark.RIGHT if _is_right(question, given) else Mark.WRONG
        text = given.text if isinstance(given, Quantity) else given
    pointer = question.pointer if mark is Mark.WRONG else ""
    return MarkedAnswer(question.id, question.text, mark, text, pointer)


def _is_right(question: SelfTestQuestion, given: str | Quantity) -> bool:
    for answer in question.answers:
        if isinstance(given, Quantity):
            if not isinstance(answer, str) and within(given.value, answer, TOLERANCE):
                return True
        elif question.kind == "word":
            if isinstance(answer, str) and _same_word(given, answer):
                return True
        elif given == answer:
            return True
    return False


def _same_word(given: str, answer: str) -> bool:
    return " ".join(given.split()).casefold() == " ".join(answer.split()).casefold()


def _tables(file: TomlFile, problems: list[Problem]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the question tables with their index; complains if there are none."""
    found = file.data.get("question", [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        problems.append(Problem(file.place("question"), "'question' is not a list of tables"))
        return []
    if not found and not problems:
        problems.append(Problem(file.name, "there are no questions", "start from the blank file"))
    return list(enumerate(found))


def _question(table: Mapping[str, Any]) -> SelfTestQuestion:
    """Return one question of the key; raises for what is wrong with it."""
    kind, unit = table["kind"], table.get("unit", "1") or "1"
    if kind not in _KINDS:
        raise QuantityError(f"its kind is {kind!r}, use {', '.join(_KINDS)}")
    if unit not in FAMILIES:
        raise QuantityError(f"its unit is {unit!r}, use {', '.join(FAMILIES)}")
    question = SelfTestQuestion(
        id=check_words(table["id"]),
        text=check_words(table["text"]),
        kind=kind,
        answers=(),
        choices=tuple(check_words(choice) for choice in table.get("choices", ())),
        unit=unit,
        pointer=check_words(table.get("pointer", "")),
    )
    raw = table["answer"]
    answers = [_answer(question, item) for item in (raw if isinstance(raw, list) else [raw])]
    if not answers or None in answers:
        raise QuantityError("its answer is blank")
    values = tuple(a.value if isinstance(a, Quantity) else a for a in answers if a is not None)
    return SelfTestQuestion(
        question.id, question.text, kind, values, question.choices, unit, question.pointer
    )


def _answer(question: SelfTestQuestion, value: Any) -> str | Quantity | None:
    """Return one answer as its kind demands, None while it is blank."""
    if isinstance(value, str) and not value.strip():
        return None
    if question.kind == "number":
        return read_number(value, question.unit)
    words = check_words(value)
    if question.kind == "choice" and words not in question.choices:
        near = nearest(words, question.choices)
        guess = f", did you mean {near}?" if near else ""
        choices = ", ".join(question.choices)
        raise QuantityError(f"'{quote(words)}' is not one of {choices}{guess}")
    return words
