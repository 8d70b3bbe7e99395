"""A small unit made on the fly: what an author adds, and nothing else."""

from __future__ import annotations

from pathlib import Path

from grader.course.content import Content
from grader.course.stubs import unit_stubs
from grader.course.unit import Unit, load_unit
from grader.predictions.blank_sheet import blank_sheet

UNIT = """
id = "9.1"
title = "A toy unit"
hours = 0.5
verbs = ["implement"]
rows = ["timing", "prediction"]

[[task]]
id = "9.1.a"
stage = "numpy"
function = "double"
title = "Double a number"
minutes = 5
row = "timing"
hints = ["What is twice a number?", "Add it to itself.", "return x + x"]

[[task]]
id = "9.1.b"
stage = "torch"
function = "total"
title = "Sum a tensor"
minutes = 5
row = "timing"
hints = ["Which method sums?", "tensor.sum", "return x.sum()"]
closed_book = true

[[field]]
name = "elements"
kind = "exact"
unit = "1"
title = "Elements of a 3 by 4 tensor"
measure = "measure_elements"
terms = ["one row", "one column"]
"""

NUMPY_SOLUTION = '''"""The NumPy stage of a toy unit."""

import numpy as np


def double(x):
    """Return twice `x`, a number or an array."""
    # region 9.1.a
    return 2 * x
    # endregion
'''

TORCH_SOLUTION = '''"""The PyTorch stage of a toy unit."""

import torch


def total(x):
    """Return the sum of the tensor `x` as a zero-dimensional tensor."""
    # region 9.1.b
    return x.sum()
    # endregion
'''

PROBES = '''"""Probes of the toy unit."""


def total_of(stage, case):
    import torch

    return {"total": stage.total(torch.from_numpy(case["x"]))}


def measure_elements(stage, case):
    import torch

    return {"value": torch.zeros(3, 4).numel(), "terms": {"one row": 4, "one column": 3}}
'''

TEST_NUMPY = '''"""Checks of the NumPy stage."""

from grader.checks import check


@check("9.1.a", row="timing", level="pass")
def test_doubles(student, reference, draw, expect):
    """Twice a number is the number added to itself."""
    x = draw.normal((3,), "float64")
    expect.close(student.numpy.double(x), x + x, rtol=1e-12)
    expect.close(reference.numpy.double(x), x + x, rtol=1e-12)
'''

TEST_TORCH = '''"""Checks of the PyTorch stage."""

from grader.checks import check


@check("9.1.b", row="timing", level="strong")
def test_sums(student, draw, expect):
    """The sum of a tensor is the sum of its values."""
    x = draw.normal((4, 2), "float64")
    expect.close(student.run("total_of", {"x": x})["total"], x.sum(), rtol=1e-12)
'''

TEST_PREDICTIONS = '''"""Fresh configurations for the calculators."""

from grader.checks import check


@check("9.1.P", row="prediction", level="strong")
def test_doubling_a_fresh_number(student, draw, expect):
    """Your calculator is right for numbers that nobody has seen."""
    n = draw.integer(10, 99)
    expect.equal(student.numpy.double(n), n + n)
'''

ADDS_ONE = '''"""Adds one instead of doubling.

check = "9.1.a/doubles"
stage = "numpy"
says = "This is what adding one gives. Look at the difference between x + 1 and x + x."
also = ["9.1.P/doubling_a_fresh_number"]
"""


def double(x):
    return x + 1
'''

MEAN = '''"""Takes the mean.

check = "9.1.b/sums"
stage = "torch"
says = "This is what the mean gives. Look at how the result changes with the number of elements."
"""


def total(x):
    return x.mean()
'''

ONLY_ARRAYS = '''"""Treats a plain number as one to be left alone.

check = "9.1.P/doubling_a_fresh_number"
stage = "numpy"
says = "This is what leaving plain numbers alone gives. Look at what happens to an int."
"""


def double(x):
    return x if isinstance(x, int) else 2 * x
'''

README = """# A toy unit

| task | function | time |
| --- | --- | --- |
| 9.1.a | `double(x)` | 5 min |
| 9.1.b | `total(x)`, closed book | 5 min |
"""


def make_toy(root: Path) -> tuple[Content, Unit]:
    """Write the toy unit below `root`, beside a copy of nothing else, and load it."""
    content = Content.at(root)
    exercise, solution = content.exercises / "u91_toy", content.solutions / "u91_toy"
    files = {
        exercise / "unit.toml": UNIT,
        exercise / "README.md": README,
        exercise / "hidden" / "probes.py": PROBES,
        exercise / "hidden" / "test_numpy.py": TEST_NUMPY,
        exercise / "hidden" / "test_torch.py": TEST_TORCH,
        exercise / "hidden" / "test_predictions.py": TEST_PREDICTIONS,
        solution / "numpy_stage.py": NUMPY_SOLUTION,
        solution / "torch_stage.py": TORCH_SOLUTION,
        solution / "prediction.toml": 'elements = "12"\n',
        solution / "faults" / "adds_one.py": ADDS_ONE,
        solution / "faults" / "mean.py": MEAN,
        solution / "faults" / "only_arrays.py": ONLY_ARRAYS,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    unit = load_unit(exercise)
    for path, text in unit_stubs(unit, content.solutions).items():
        path.write_text(text)
    (exercise / "prediction.toml").write_text(blank_sheet(unit))
    return content, unit
