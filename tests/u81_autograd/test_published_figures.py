"""The formula for saved bytes gives the activation figures that others have printed.

The rows in `tables/` name their sources. Nothing is computed with the formula beside a figure.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLES = Path(__file__).parent / "tables"


def _rows(table: str) -> dict[str, dict[str, Any]]:
    data = json.loads((TABLES / f"{table}.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in data["rows"]}


MLPS, LAYERS = _rows("calculator_cases"), _rows("activation_memory")


@pytest.mark.parametrize("row", MLPS.values(), ids=MLPS)
def test_activations_of_an_mlp_are_what_a_layer_behind_it_makes_it_save(
    torch_stage: ModuleType, row: dict[str, Any]
) -> None:
    # the cases count the output as well: the input of one more layer
    batch, widths = row["activation_shapes"][0][0], [n for _, n in row["activation_shapes"]]
    got = torch_stage.predict_saved_bytes([*widths, 1], batch, itemsize=row["inputs"]["ab"])
    assert got["total"] == pytest.approx(row["expected"], rel=row["tol"])


@pytest.mark.parametrize("name", [name for name in LAYERS if name.endswith("/none")])
def test_the_network_is_what_attention_and_norms_leave_of_a_layer(
    torch_stage: ModuleType, name: str
) -> None:
    row = LAYERS[name]
    s, b, h, a = (row["inputs"][letter] for letter in "sbha")
    attention = LAYERS["layer/attention_linear_part"]["expected"] * s * b * h + 5 * a * s * s * b
    norms, mask = 2 * 2 * s * b * h, s * b * h
    network = torch_stage.predict_saved_bytes([h, 4 * h, h], s * b, activation="gelu", itemsize=2)
    whole = attention + norms + mask + network["total"]
    assert whole == pytest.approx(row["expected"], rel=row["tol"])
