"""The figures and the snippet in the lesson of unit 8.5 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

LESSON = (
    Path(__file__).resolve().parents[2] / "exercises" / "u85_nonfinite" / "README.md"
).read_text(encoding="utf-8")

EXAMPLES = {
    "divide": [(np.divide, 3.0, 0.0), (np.log1p, -1.0)],
    "invalid": [(np.multiply, 0.0, np.inf), (np.arccos, 2.0)],
    "overflow": [(np.multiply, np.float16(300), np.float16(300))],
    "propagated": [(np.subtract, np.nan, 1.0), (np.add, np.inf, 2.0)],
    "underflow": [(np.square, np.float32(1e-25))],
}


def test_the_snippet_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# (tensor.*)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.split() == promised.split()


def test_the_table_of_kinds_is_what_classify_says(stage: ModuleType) -> None:
    rows = re.findall(r"^\| (divide|invalid|overflow|propagated|underflow) \|", LESSON, re.M)
    assert rows == list(EXAMPLES)
    for kind, examples in EXAMPLES.items():
        for op, *arguments in examples:
            assert stage.classify(op, arguments) == kind


def test_the_worked_example_is_right(stage: ModuleType) -> None:
    near, far = np.float32(-1e-9), np.float32(-20)
    with np.errstate(divide="ignore"):
        assert np.log(1 - np.exp(near)) == -np.inf
    assert np.log(1 - np.exp(far)) == 0
    assert f"{float(stage.log1mexp(near)):.2f}" == "-20.72"
    assert f"{float(stage.log1mexp(far)):.2e}".replace("e-0", "e-") == "-2.06e-9"
    for figure in ("-20.72", "-2.06e-9"):
        assert figure in LESSON


def test_float16_ends_where_the_lesson_says() -> None:
    assert torch.finfo(torch.float16).max == 65504
    assert "65 504" in LESSON
