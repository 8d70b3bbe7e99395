"""Readiness: what is missing before the capstone, from reports alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.course.unit import Unit
from grader.report.readiness import Known, UnitState, unit_state
from tests.toy_unit import make_toy


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Unit:
    return make_toy(tmp_path_factory.mktemp("course"))[1]


def report(**changes: Any) -> dict[str, Any]:
    """Return the report of a toy unit in which everything is met, with changes."""
    row = {"title": "A row", "level": "strong", "at_most": "strong", "reasons": ["Met: all."]}
    whole = {
        "unit": "9.1",
        "started": "2026-03-01T12:00:00Z",
        "interrupted": False,
        "submission": {"digest": "as graded"},
        "checks": [{"task": f"9.1.{letter}", "status": "met"} for letter in "ab"],
        "predictions": {"seal": {"word": "sealed"}, "fields": [{"state": "exact"}]},
        "rows": [{"id": name, **row} for name in ("prediction", "timing")],
    }
    return whole | changes


def state(unit: Unit, *reports: dict[str, Any], selftest: Any = None) -> UnitState:
    return unit_state(unit, Known(reports, "as graded", selftest))


def steps(found: UnitState) -> list[str]:
    return [step.what for step in found.steps]


def test_nothing_is_missing_when_all_is_met(unit: Unit) -> None:
    found = state(unit, report(), selftest=(2, 2))
    assert found.steps == ()
    assert found.minutes == 0
    assert (found.done, found.tasks, found.sheet) == (2, 2, "sealed")
    assert found.rows == {"prediction": "strong", "timing": "strong"}


def test_a_unit_that_was_not_begun_lacks_its_tasks_its_sheet_and_a_grade(unit: Unit) -> None:
    found = state(unit, selftest=(0, 2))
    assert steps(found) == [
        "Double a number",
        "Sum a tensor",
        "predict and seal",
        "grade the whole unit",
        "self-test: 2 of 2 questions to go",
    ]
    assert found.steps[0].command == "grade unit 9.1 --task a"
    assert found.minutes == 5 + 5 + 15 + 1 + 4


def test_a_task_that_is_not_met_is_missing_alone(unit: Unit) -> None:
    checks = [{"task": "9.1.a", "status": "met"}, {"task": "9.1.b", "status": "not met"}]
    assert steps(state(unit, report(checks=checks))) == ["Sum a tensor"]


def test_tasks_graded_one_by_one_still_lack_the_grade_of_the_whole(unit: Unit) -> None:
    assert steps(state(unit, report(rows=[], predictions=None))) == [
        "predict and seal",
        "grade the whole unit",
    ]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"submission": {"digest": "other"}}, "grade again: the files have changed since"),
        ({"interrupted": True}, "grade again: the last run was interrupted"),
        (
            {
                "predictions": {
                    "seal": {"word": "sealed"},
                    "fields": [{"state": "not explained"}],
                }
            },
            "explain the gaps in discrepancy.toml",
        ),
        ({"predictions": {"seal": {"word": "not sealed"}, "fields": []}}, "predict and seal"),
    ],
)
def test_what_else_can_be_missing_is_named(
    unit: Unit, changes: dict[str, Any], wanted: str
) -> None:
    assert steps(state(unit, report(**changes))) == [wanted]


@pytest.mark.parametrize(
    ("level", "at_most", "wanted"),
    [
        ("pass", "pass", []),
        ("none", "none", ["raise timing: 9.1.a is not met: why"]),
        ("none", "strong", ["grade again: not yet known is timing"]),
    ],
)
def test_a_row_below_pass_is_missing(
    unit: Unit, level: str, at_most: str, wanted: list[str]
) -> None:
    row = {
        "id": "timing",
        "title": "Timing",
        "level": level,
        "at_most": at_most,
        "reasons": ["Met: 1 of 2.", "9.1.a is not met: why"],
    }
    assert steps(state(unit, report(rows=[row]))) == wanted


def test_the_latest_report_of_the_whole_unit_counts(unit: Unit) -> None:
    late = report(started="2026-03-02T12:00:00Z", interrupted=True)
    assert steps(state(unit, report(), late)) == ["grade again: the last run was interrupted"]
    assert steps(state(unit, late, report())) == []


def test_a_report_of_another_place_has_no_digest_to_compare(unit: Unit, tmp_path: Path) -> None:
    assert unit_state(unit, Known((report(),), "")).steps == ()
