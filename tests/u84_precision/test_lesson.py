"""The figures and the snippet in the lesson of unit 8.4 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

LESSON = (
    Path(__file__).resolve().parents[2] / "exercises" / "u84_precision" / "README.md"
).read_text(encoding="utf-8")
WORDS = " ".join(LESSON.split())


def test_the_snippet_prints_what_its_comment_says(
    torch_stage: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# (\[torch.*\])$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.strip() == promised


def test_with_a_gradient_for_x_the_snippet_saves_two(torch_stage: ModuleType) -> None:
    import torch

    layer, x = torch.nn.Linear(64, 128), torch.ones(16, 64, requires_grad=True)
    saved: list[torch.Tensor] = []
    with (
        torch.autograd.graph.saved_tensors_hooks(saved.append, lambda kept: kept),
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        layer(x)
    assert [kept.dtype for kept in saved] == [torch.bfloat16] * 2


def test_the_ruler_at_300(stage: ModuleType) -> None:
    assert (stage.ulp(300, 5, 10), stage.ulp(300, 8, 7)) == (0.25, 2)
    assert stage.decode(stage.encode(301, 8, 7), 8, 7) == 300
    assert "every 0.25" in WORDS
    assert "it turns 301 into 300 or 302" in WORDS
    assert "300 = 256 + 22·2" in WORDS


def test_the_worked_example_of_memory(stage: ModuleType) -> None:
    kept = stage.autocast_forward_bytes([64, 128, 10], 16)
    assert (kept["fp32"], kept["bf16"], kept["break_even"]) == (8840, 9352, 21)
    for number in (8192, 640, 4096, 648, 2048, 2560, 8840, 9352):
        assert f"{number} B" in WORDS
    assert "From 21 examples on" in WORDS
    terms = kept["terms"]
    assert (terms["input_copy"], terms["weight_copies"]) == (2048, 2560)
    assert terms["log_probabilities"] + terms["loss"] == 648


def test_the_table_of_scales_is_what_the_scaler_does(stage: ModuleType) -> None:
    (gradients,) = re.findall(r"^\| gradients \|(.*)\|$", LESSON, re.MULTILINE)
    (scales,) = re.findall(r"^\| scale after it \|(.*)\|$", LESSON, re.MULTILINE)
    scaler = stage.LossScaler(512.0, growth_interval=2)
    seen = []
    for word in gradients.split("|"):
        scaler.step([np.array([np.inf if word.strip() == "inf" else 1.0])], lambda found: None)
        scaler.update()
        seen.append(scaler.scale)
    assert seen == [float(cell) for cell in scales.split("|")]


def test_the_clipped_step_of_the_lesson(stage: ModuleType) -> None:
    assert 3 * 256 == 768
    assert "the norm looks like 768" in WORDS
    scaler, applied = stage.LossScaler(256.0), []
    clipped = np.array([3.0 * 256]) / (3 * 256)
    scaler.step([clipped], lambda gradients: applied.append(float(gradients[0][0])))
    assert applied == [1 / 256]
