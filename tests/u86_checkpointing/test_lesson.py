"""The figures and the snippet in the lesson of unit 8.6 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import nn

from grader.instruments.live_bytes import LiveBytes

LESSON = (
    Path(__file__).resolve().parents[2] / "exercises" / "u86_checkpointing" / "README.md"
).read_text(encoding="utf-8")


def test_the_snippet_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# ([\d.]+)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.strip() == promised


def test_the_worked_example_is_right(torch_stage: ModuleType) -> None:
    blocks = [nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16)) for _ in range(4)]
    model, x = nn.Sequential(*blocks), torch.ones(8, 16)
    plain = torch_stage.recompute_report(model, x, None, LiveBytes)
    each = torch_stage.recompute_report(model, x, 4, LiveBytes)
    whole = torch_stage.recompute_report(model, x, 4, LiveBytes, early_stop=False)
    assert plain["flops"]["forward"] == 131_072
    assert [r["flops"]["ratio"] * 8 for r in (plain, each, whole)] == [23, 27, 31]
    assert (plain["live"], each["live"]) == (18_432, 2_048)
    for number in ("131 072", "16 384", "2.875", "3.375", "18 432", "2 048", "there would be 31"):
        assert number in LESSON


def test_the_table_of_segments_is_what_the_calculator_gives(stage: ModuleType) -> None:
    (head, peaks) = re.findall(r"^\| (?:segments|peak, in layers) \|(.*)\|$", LESSON, re.M)
    segments, found = ([int(cell.strip(" *")) for cell in row.split("|")] for row in (head, peaks))
    assert found == [stage.chain_counts([1] * 37, k)["peak"] for k in segments]
    (bold,) = [k for k, cell in zip(segments, peaks.split("|"), strict=True) if "**" in cell]
    assert bold == stage.best_segments(36)


def test_the_table_of_recomputations_is_what_the_calculator_gives(stage: ModuleType) -> None:
    rows = re.findall(r"^\| (none|selective|full) \| ([\d ]+) MB", LESSON, re.M)
    assert len(rows) == 3
    for word, megabytes in rows:
        size = stage.transformer_layer_bytes(2048, 1, 12288, 96, word)
        assert round(size / 1e6) == int(megabytes.replace(" ", ""))
