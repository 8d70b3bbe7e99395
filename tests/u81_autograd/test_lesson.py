"""The figures and the snippet in the lesson of unit 8.1 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
import torch

LESSON = (
    Path(__file__).resolve().parents[2] / "exercises" / "u81_autograd" / "README.md"
).read_text(encoding="utf-8")


def test_the_snippet_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# (\d+)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.strip() == promised


def test_the_worked_example_and_its_variants_are_right(torch_stage: ModuleType) -> None:
    widths, batch = (6, 10, 3), 16
    assert torch_stage.predict_saved_bytes(widths, batch) == {
        "input": 384,
        "hidden": [640],
        "total": 1024,
    }
    assert torch_stage.predict_saved_bytes(widths, batch, activation="gelu")["total"] == 1664
    assert torch_stage.predict_saved_bytes(widths, batch, frozen=[0])["total"] == 640
    for number in ("384", "640", "1024", "1664"):
        assert number in LESSON


def test_no_figure_of_the_example_is_one_of_the_sheet_or_the_self_test() -> None:
    solved = Path(__file__).resolve().parents[2] / "solutions" / "u81_autograd"
    text = "".join((solved / name).read_text() for name in ("prediction.toml", "selftest.toml"))
    answers = set(re.findall(r"\b\d{3,}\b", text))
    assert answers
    assert not answers & set(re.findall(r"\b\d{3,}\b", LESSON))


def test_the_table_of_what_is_saved(torch_stage: ModuleType) -> None:
    x = torch.randn(4, 3, requires_grad=True)
    kept = {
        "gelu": (torch.nn.functional.gelu, x),
        "relu": (torch.relu, None),
        "exp": (torch.exp, None),
        "tanh": (torch.tanh, None),
        "sigmoid": (torch.sigmoid, None),
    }
    for name, (function, saved) in kept.items():
        output, report = torch_stage.saved_report(lambda f=function: f(x), inputs=[x])
        (record,) = report["records"]
        assert record["kind"] == ("activation" if saved is None else "input"), name
        assert torch.is_tensor(output)


def test_an_update_that_is_recorded_has_the_depths_of_the_lesson(torch_stage: ModuleType) -> None:
    def step(weights: dict[str, torch.Tensor]) -> None:
        (g,) = torch.autograd.grad((weights["w"] ** 2).sum(), weights["w"])
        weights["w"] = weights["w"] - 0.1 * g

    weights = {"w": torch.ones(2, requires_grad=True)}
    assert torch_stage.update_guard(step, weights)["depths"] == [2, 3, 4]
    assert "Depth 2, 3, 4," in " ".join(LESSON.split())
