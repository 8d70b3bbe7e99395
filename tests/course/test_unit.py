from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.catalog import find_unit, units
from grader.course.content import Content, installed_content
from grader.course.unit import load_unit
from grader.errors import CourseError, UsageError

GOOD = """
id = "1.1"
title = "A unit"
hours = 2
verbs = ["measure"]
rows = ["timing"]

[[task]]
id = "1.1.a"
stage = "numpy"
function = "twice"
title = "Double"
minutes = 5
row = "timing"
hints = ["a", "b", "c"]
closed_book = true

[[field]]
name = "bytes"
kind = "exact"
title = "How many?"
unit = "B"
measure = "measure_bytes"
"""


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unit.toml").write_text(text)
    return folder


def test_a_unit_is_read_with_its_tasks_and_fields(tmp_path: Path) -> None:
    unit = load_unit(write(tmp_path / "u11_toy", GOOD))
    assert (unit.id, unit.folder, unit.hours) == ("1.1", "u11_toy", 2)
    assert unit.task("1.1.a").letter == "a"
    assert unit.task("1.1.a").closed_book
    assert unit.stage_of("1.1.a") == "numpy"
    assert unit.stage_of("1.1.P") == "torch"
    assert unit.fields[0].measure == "measure_bytes"
    with pytest.raises(KeyError):
        unit.task("1.1.z")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"a", "b", "c"', '"a"', "task 1.1.a has 1 hints"),
        ("minutes = 5", "minutes = 0", "no `minutes`"),
        ('row = "timing"', 'row = "speed"', "'speed'"),
        ('rows = ["timing"]', 'rows = ["resume"]', "feeds timing"),
        ('id = "1.1.a"', 'id = "2.1.a"', "does not start with the unit's id"),
        ('kind = "exact"', 'kind = "choice"', "fewer than two"),
        ('measure = "measure_bytes"', "", "names no `measure`"),
        ('kind = "exact"', 'kind = "text"', "a text without `terms`"),
        ('stage = "numpy"', 'stage = "jax"', "'jax'"),
    ],
)
def test_each_breach_of_the_contract_is_named(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(CourseError, match=said):
        load_unit(write(tmp_path / "u11_toy", GOOD.replace(old, new)))


def test_a_text_has_a_measure_of_its_own_too(tmp_path: Path) -> None:
    text = GOOD.replace('kind = "exact"', 'kind = "text"').replace('unit = "B"', 'terms = ["disk"]')
    assert load_unit(write(tmp_path / "u11_toy", text)).fields[0].terms == ("disk",)
    with pytest.raises(CourseError, match="field bytes names no `measure`"):
        load_unit(write(tmp_path / "u11_toy", text.replace('measure = "measure_bytes"', "")))


def test_all_problems_of_a_unit_are_reported_together(tmp_path: Path) -> None:
    text = GOOD.replace('title = "A unit"', "").replace("minutes = 5", "minutes = -1")
    with pytest.raises(CourseError) as caught:
        load_unit(write(tmp_path / "u11_toy", text))
    assert len(caught.value.problems) == 2


def test_a_unit_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"unit\.toml: cannot be read"):
        load_unit(write(tmp_path / "u11_toy", "id = "))


def test_a_unit_is_found_by_id_or_folder_and_a_slip_is_answered(tmp_path: Path) -> None:
    write(tmp_path / "exercises" / "u11_toy", GOOD)
    known = units(Content.at(tmp_path))
    assert find_unit("1.1", known) is known[0]
    assert find_unit("U11_toy", known) is known[0]
    with pytest.raises(UsageError, match=r"did you mean 1\.1"):
        find_unit("1.2", known)
    with pytest.raises(UsageError, match="grade list"):
        find_unit("zzzzzz", known)


def test_the_installed_course_has_its_three_folders() -> None:
    content = installed_content()
    assert content.exercises.is_dir()
    assert content.solutions.is_dir()
    assert content.rubric.is_dir()
    assert content.solutions in content.hidden_folders()
