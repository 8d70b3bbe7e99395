"""The calculators of unit 8.6 give the figures that papers have printed.

The rows in `tables/` name their sources. Each is turned into one call of a calculator; nothing is
computed with the formula of the paper.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLES = Path(__file__).parent / "tables"


def _rows(table: str) -> list[Any]:
    data = json.loads((TABLES / f"{table}.json").read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["id"]) for row in data["rows"]]


def _holds(row: dict[str, Any], got: float) -> None:
    assert got == pytest.approx(row["expected"], rel=row["tol"])


@pytest.mark.parametrize("row", _rows("sqrt_checkpointing"))
def test_sublinear_memory(stage: ModuleType, row: dict[str, Any]) -> None:
    n, k = row["inputs"].get("n", 12), row["inputs"].get("k")
    what = row["id"].rpartition("/")[2]
    if what == "best_segments":
        return _holds(row, stage.best_segments(n))
    if what == "no_checkpoint":
        # the table leaves the chain's input out here
        return _holds(row, stage.chain_counts([0] + [1] * n, 1)["plain"])
    if what == "extra_forward":
        # a backward is two forwards, plain a step is n forwards and n backwards
        forwards = stage.chain_counts([1] * (n + 1), 3)["forwards"]
        return _holds(row, (forwards + 2 * n) / (n + 2 * n))
    k = k or stage.best_segments(n)
    return _holds(row, stage.chain_counts([1] * (n + 1), k)["peak"])


@pytest.mark.parametrize("row", _rows("activation_memory"))
def test_korthikanti_per_layer(stage: ModuleType, row: dict[str, Any]) -> None:
    i = row["inputs"]
    sizes = (i["s"], i.get("b", 1), i["h"], i["a"])
    kind = row["id"].rpartition("/")[2]
    if kind in ("selective_saving", "quadratic_ratio"):
        none, selective = (stage.transformer_layer_bytes(*sizes, w) for w in ("none", "selective"))
        if kind == "selective_saving":
            return _holds(row, 1 - selective / none)
        unit = stage.transformer_layer_bytes(*sizes, "full") / 2
        return _holds(row, (none - selective) / unit)
    words = kind.split("+")
    recompute = next((word for word in ("selective", "full") if word in words), "none")
    t = i["t"] if "tensor" in words or recompute == "full" else 1
    return _holds(row, stage.transformer_layer_bytes(*sizes, recompute, t, "sequence" in words))
