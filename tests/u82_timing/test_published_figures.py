"""The timers' model gives the factors that people reported when they added or removed a sync.

The figures are other people's machines. A launch of the reported time without a sync and work that
fills the rest are put into the model; it must give the reported factor back.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLE = Path(__file__).parent / "tables" / "timing_reports.json"
ROWS = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
SYNC = [pytest.param(row, id=row["id"]) for row in ROWS if row["id"].startswith("sync_vs_none/")]


@pytest.mark.parametrize("row", SYNC)
def test_how_many_times_too_fast_an_operator_looks_without_a_sync(
    stage: ModuleType, row: dict[str, Any]
) -> None:
    without, honest = 1000 * row["inputs"]["a"], 1000 * row["inputs"]["b"]
    op = {"name": "op", "stream": "main", "launch": without, "device": honest - without}
    printed = [stage.measured([], [op], policy, 0) for policy in ("naive", "honest")]
    assert printed[1] / printed[0] == pytest.approx(row["expected"], rel=row["tol"])


def test_there_are_as_many_rows_as_were_claimed() -> None:
    assert (len(SYNC), len(ROWS)) == (7, 8)


def test_a_removed_read_was_worth_four_percent_and_the_model_can_say_why(
    stage: ModuleType,
) -> None:
    (row,) = (row for row in ROWS if row["id"] == "item_per_step/lanfactory_speedup")
    before, after = (round(1000 * row["inputs"][f"{when}_ms"]) for when in ("before", "after"))

    def steps(waits: bool) -> float:
        """Return the time of a step [us], of many: the host works a little, the device a lot."""
        count, host = 200, before - after
        ops = [
            {
                "name": f"step{i}",
                "stream": "main",
                "launch": host,
                "device": after,
                "waits": [f"step{i}"] if waits else [],
            }
            for i in range(count)
        ]
        return float(stage.simulate(ops, 0)["total"]) / count

    assert steps(True) == pytest.approx(before)
    assert steps(False) == pytest.approx(after, rel=0.001)
    gained = steps(True) / steps(False)
    assert gained == pytest.approx(row["expected"], rel=row["tol"])
    assert gained < 1.85  # what had been announced
