"""The reader of `rubric.toml`."""

import pytest

from grader.course.unit import ROWS
from grader.errors import CourseError
from grader.scoring.rubric import read_rubric

GOOD = "".join(
    f'[[row]]\nid = "{row}"\ntitle = "T"\nweight = 1\npass = "p"\nstrong = "s"\n' for row in ROWS
)


def read(folder, text):
    (folder / "rubric.toml").write_text(text)
    return read_rubric(folder)


def test_the_rows_are_read_in_their_order_with_their_criteria(tmp_path):
    rubric = read(
        tmp_path, GOOD.replace('id = "resume"\ntitle = "T"', 'id = "resume"\ntitle = "R"')
    )
    assert tuple(row.id for row in rubric.rows) == ROWS
    assert rubric.row("resume").title == "R"
    assert (rubric.row("timing").passes, rubric.row("timing").strong) == ("p", "s")
    assert rubric.row("timing").weight == 1.0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('pass = "p"', "", "row 1: `pass` is missing"),
        ('strong = "s"', 'strong = " "', "row 1: `strong` is missing"),
        ("weight = 1", "weight = 0", "row 1: `weight` is not a positive number"),
        ("weight = 1", "weight = true", "row 1: `weight` is not a positive number"),
        ('"timing"', '"speed"', "give each of prediction, timing"),
        ('"timing"', '"resume"', "the rows are prediction, resume, fault_repair"),
        ("[[row]]", "[[row", "cannot be read"),
    ],
)
def test_a_rubric_with_a_fault_is_refused_with_its_name(tmp_path, old, new, said):
    with pytest.raises(CourseError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert said in str(caught.value)


def test_all_faults_are_told_together(tmp_path):
    with pytest.raises(CourseError) as caught:
        read(tmp_path, GOOD.replace('pass = "p"\n', ""))
    assert len(caught.value.problems) == len(ROWS)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(CourseError, match="cannot be read"):
        read_rubric(tmp_path)
