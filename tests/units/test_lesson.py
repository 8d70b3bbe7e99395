"""The lesson of each unit lists its tasks, with the time that `unit.toml` gives them."""

from __future__ import annotations

import re

import pytest

from grader.course.unit import Unit
from tests.units.course import UNITS


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_every_task_is_in_the_lesson_with_its_time(unit: Unit) -> None:
    lesson = (unit.path / "README.md").read_text(encoding="utf-8")
    assert sum(task.minutes for task in unit.tasks) <= unit.hours * 60
    for task in unit.tasks:
        assert re.search(rf"\| {task.id} \| `{task.function}\(.*\| {task.minutes} min \|", lesson)
