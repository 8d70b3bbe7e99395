"""The figures and the snippet in the lesson of unit 8.9 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

LESSON = (
    Path(__file__).resolve().parents[2] / "exercises" / "u89_profiling" / "README.md"
).read_text(encoding="utf-8")


def test_the_snippet_prints_what_its_comment_says(
    torch_stage: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# (\d+)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.strip() == promised


def test_the_worked_example_is_right(stage: ModuleType) -> None:
    step = stage.training_flops([(32, 64, 128), (32, 128, 10)], first_input_needs_grad=False)
    for number in (step["forward"], 2 * step["forward"], step["backward"]):
        assert f"{number:,}".replace(",", " ") in LESSON


def test_the_table_of_synchronisations_is_what_the_model_gives(stage: ModuleType) -> None:
    names = ("transfer", "forward", "backward", "optimizer")
    phases = [
        {"name": name, "launch": launch, "device": work, "blocking": name == "transfer"}
        for name, launch, work in zip(names, (5, 7, 13, 5), (50, 2500, 4700, 400), strict=True)
    ]
    rows = re.findall(
        r"^\| (nothing|forward|forward and backward|optimizer) \|(.*)\|$", LESSON, re.M
    )
    assert len(rows) == 4
    for place, cells in rows:
        syncs = [] if place == "nothing" else place.split(" and ")
        table = stage.host_clock_table(phases, syncs)
        host = [int(re.sub(r"[*\s]", "", cell)) for cell in cells.split("|")]
        assert host == [table["host"][name] for name in names]
        (bold,) = (name for name, cell in zip(names, cells.split("|"), strict=True) if "**" in cell)
        assert bold == table["blamed"]
