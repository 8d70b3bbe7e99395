from __future__ import annotations

import pytest

from grader.course.stubs import regions, stub_text
from grader.errors import CourseError

SOLVED = '''"""Stage."""

import numpy as np

# region hidden
_TABLE = {1: 2}
# endregion


def twice(x):
    """Return 2x."""
    # region 1.1.a
    if x is None:
        return None
    return 2 * x
    # endregion


class Tape:
    def add(self, op):
        # region 1.1.b
        self.ops.append(op)
        # endregion
'''


def test_a_region_becomes_the_stub_of_its_task() -> None:
    stub = stub_text(SOLVED)
    assert '    raise NotImplementedError("1.1.a")\n' in stub
    assert '        raise NotImplementedError("1.1.b")\n' in stub
    assert "return 2 * x" not in stub


def test_hidden_code_vanishes_and_docstrings_stay() -> None:
    stub = stub_text(SOLVED)
    assert "_TABLE" not in stub
    assert '"""Return 2x."""' in stub
    assert "region" not in stub


def test_a_stub_is_valid_python_that_raises_its_task_id() -> None:
    space: dict[str, object] = {}
    exec(stub_text(SOLVED).replace("import numpy as np", ""), space)
    with pytest.raises(NotImplementedError, match=r"1\.1\.a"):
        space["twice"](3)  # type: ignore[operator]


def test_the_task_ids_of_a_solution_are_found() -> None:
    assert regions(SOLVED) == {"1.1.a", "1.1.b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# region 1.1.a\nx = 1\n", "never closed"),
        ("# endregion\n", "without a region"),
        ("# region 1.1.a\n# region 1.1.b\n# endregion\n", "inside a region"),
    ],
)
def test_unbalanced_regions_are_named_with_their_line(text: str, said: str) -> None:
    with pytest.raises(CourseError, match=said):
        stub_text(text, "stage.py")
