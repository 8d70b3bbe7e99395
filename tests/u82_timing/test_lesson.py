"""The figures and the snippet in the lesson of unit 8.2 are what running them gives."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

LESSON = (Path(__file__).resolve().parents[2] / "exercises" / "u82_timing" / "README.md").read_text(
    encoding="utf-8"
)


def test_the_snippet_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", LESSON, re.DOTALL)
    exec(compile(snippet, "README.md", "exec"), {})
    (promised,) = re.findall(r"# prints (.*)$", snippet, re.MULTILINE)
    assert capsys.readouterr().out.split() == promised.split(", ")


def test_the_timers_of_four_kernels_print_what_the_lesson_says(stage: ModuleType) -> None:
    old = [{"name": "old", "stream": "main", "device": 300}]
    region = [{"name": f"k{i}", "stream": "main", "launch": 5, "device": 50} for i in range(4)]
    rows = dict(re.findall(r"^\| ((?:no|a|two) [a-z ]+) \| (\d+) us \|", LESSON, re.M))
    named = {
        "no sync": "naive",
        "a sync before the first reading alone": "start_only",
        "a sync before the second reading alone": "end_only",
        "a sync before each": "honest",
        "a sync after every kernel": "every_op",
        "two events in the stream": "events",
    }
    assert {name: stage.measured(old, region, policy) for name, policy in named.items()} == {
        name: int(time) for name, time in rows.items()
    }


def test_the_table_of_phases_is_what_the_model_gives(stage: ModuleType) -> None:
    works = {"forward": (4, 100), "backward": (6, 300), "optimizer": (2, 60), "read": (0, 0)}
    rows = re.findall(r"^\| (nowhere|after the [a-z]+|after every phase) \|(.*)\|$", LESSON, re.M)
    assert len(rows) == 4
    for place, cells in rows:
        syncs = [place.rpartition(" ")[2]] if "the" in place else []
        syncs = list(works) if "every" in place else [*syncs, "read"]
        ops = [
            {
                "name": name,
                "stream": None if name == "read" else "main",
                "launch": launch,
                "waits": "all" if name in syncs else [],
                **({} if name == "read" else {"device": device}),
            }
            for name, (launch, device) in works.items()
        ]
        run = stage.simulate(ops)["ops"]
        host = {name: run[name]["returned"] - run[name]["called"] for name in works}
        assert [int(re.sub(r"[*\s]", "", cell)) for cell in cells.split("|")] == list(host.values())
        (bold,) = (name for name, cell in zip(works, cells.split("|"), strict=True) if "**" in cell)
        assert bold == max(host, key=lambda name: host[name])


def test_five_batches_take_as_long_as_the_lesson_says(stage: ModuleType) -> None:
    two, one = (stage.overlap_makespan(5, 6, 8, buffers) for buffers in (2, 1))
    assert f"the sum is {two['serial']} ms" in LESSON
    assert f"6 + 5 · 8 = {two['overlapped']}" in LESSON
    assert one["overlapped"] == one["serial"]


def test_the_worked_gap_has_the_numbers_of_the_four_kernels() -> None:
    predicted = re.search(r"had you said\s+(\d+) us", LESSON)
    cost = re.search(r'amount = "(\d+) us"', LESSON)
    assert predicted
    assert cost
    assert int(predicted[1]) + int(cost[1]) == 206


def test_no_number_of_the_sheet_is_in_the_lesson() -> None:
    measured: list[Any] = ["75 us", "810 us", "335 us", "44 ms", "475 us", "7.911", "495"]
    assert not [number for number in measured if re.search(rf"(?<![\d.]){number}\b", LESSON)]
