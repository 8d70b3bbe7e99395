"""The two FLOP calculators give the figures that papers and benchmarks have printed.

The rows in `tables/` name their sources. Each is turned into one call of a calculator; nothing is
computed with the formula that stands beside a figure.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLES = Path(__file__).parent / "tables"
PF_DAY = 1e15 * 24 * 3600


def _rows(table: str) -> list[Any]:
    data = json.loads((TABLES / f"{table}.json").read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["id"]) for row in data["rows"]]


def _holds(row: dict[str, Any], got: float) -> None:
    assert got == pytest.approx(row["expected"], rel=row["tol"])


@pytest.mark.parametrize("row", _rows("calculator_cases"))
def test_worked_cases_of_the_calculator(stage: ModuleType, row: dict[str, Any]) -> None:
    counted = stage.training_flops(row["matmuls_m_k_n"], row["inputs"]["a"])
    part = row["id"].rpartition("/")[2]
    got = counted["model" if part == "step" else part]
    assert got == row["expected"]
    assert isinstance(got, int)


@pytest.mark.parametrize("row", _rows("gpt3_compute"))
def test_gpt3_table_d1_is_one_product_of_all_weights_and_tokens(
    stage: ModuleType, row: dict[str, Any]
) -> None:
    k, millions, billions = (row["inputs"][name] for name in "kpt")
    # an encoder-decoder shows each token to half of its weights only
    weights = millions * 10**6 * k // 6
    flops = stage.training_flops([(billions * 10**9, weights, 1)])["model"]
    _holds(row, flops / (PF_DAY if row["unit"] == "PF-days" else 1))


def _chinchilla(stage: ModuleType, inputs: dict[str, Any]) -> dict[str, int]:
    """One sequence without the output layer, its attention cost with the softmax handed in."""
    layers, d, f, heads, s = (inputs[name] for name in ("L", "d", "f", "H", "S"))
    block = [(s, d, 3 * d), (s, d, d), (s, d, f), (s, f, d)]
    attention = layers * (4 * s * s * d + 3 * heads * s * s)
    return stage.training_flops(block * layers, attention)


def _weights(inputs: dict[str, Any]) -> int:
    """Parameters as Chinchilla's table counts them, with biases, norms and one token table."""
    layers, d, f, vocabulary = (inputs[name] for name in ("L", "d", "f", "V"))
    block = 3 * d * d + 3 * d + d * d + 2 * d + d * d + d + d * f + f + f * d + d + 4 * d
    return layers * block + 2 * d + d * vocabulary


FORMULAS: dict[str, Callable[[ModuleType, dict[str, Any]], float]] = {
    "flops_per_sequence": lambda stage, i: _chinchilla(stage, i)["model"],
    "ratio": lambda stage, i: (
        _chinchilla(stage, i)["model"] / stage.training_flops([(i["S"], _weights(i), 1)])["model"]
    ),
    "non_embedding_params": lambda stage, i: (
        stage.transformer_step_flops(i["L"], i["d"], 1, 1, 0, "none")["forward"] // 2
    ),
    "forward_flops_per_token": lambda stage, i: (
        stage.transformer_step_flops(i["L"], i["d"], i["T"], 1, 0, "causal")["forward"] / i["T"]
    ),
    "pf_day": lambda stage, i: PF_DAY,
    "mfu_with_attention": lambda stage, i: (
        100 * i["tok"] * _token(stage, {**i, "d": i["H"] * i["Q"]})["model"] / (i["n"] * i["pk"])
    ),
}


def _token(stage: ModuleType, inputs: dict[str, Any], recompute: str = "none") -> dict[str, float]:
    """One token: all weights once, and its share of attention over T tokens."""
    attention = 4 * inputs["L"] * inputs["d"] * inputs["T"]
    return stage.training_flops([(1, inputs["N"], 1)], attention, recompute)


@pytest.mark.parametrize("row", _rows("flop_formulas"))
def test_kaplan_chinchilla_and_palm(stage: ModuleType, row: dict[str, Any]) -> None:
    _holds(row, FORMULAS[row["id"].rpartition("/")[2]](stage, row["inputs"]))


def test_kaplans_context_term_is_small_where_the_width_exceeds_a_twelfth_of_the_context(
    stage: ModuleType,
) -> None:
    for layers, d, tokens in ((24, 1024, 1024), (36, 1280, 1024), (96, 12288, 2048)):
        step = stage.transformer_step_flops(layers, d, tokens, 1, 0, "causal")
        assert step["attention"] < step["forward"] / 10
    deep_context = stage.transformer_step_flops(2, 64, 2048, 1, 0, "causal")
    assert deep_context["attention"] > deep_context["forward"] / 2


@pytest.mark.parametrize("row", _rows("nanogpt_sizing"))
def test_nanogpt_sizing_notebook(stage: ModuleType, row: dict[str, Any]) -> None:
    i = row["inputs"]
    if row["id"] == "train/days_6ND":
        flops = stage.training_flops([(300 * 10**9, i["P"], 1)])["model"]
        return _holds(row, flops / (312e12 * 8 * 0.3) / 86400)
    layers, d, tokens, vocabulary = (i[name] for name in ("L", "d", "T", "V"))
    step = stage.transformer_step_flops(layers, d, tokens, 1, vocabulary)
    block = stage.transformer_step_flops(1, d, tokens, 1, 0)
    mlp = stage.training_flops([(tokens, d, 4 * d), (tokens, 4 * d, d)])["forward"]
    weights = d * vocabulary + layers * (2 * d + 12 * d * d) + d
    palm = stage.training_flops([(tokens, weights, 1)], step["attention"])
    got = {
        "attention": block["forward"] - mlp,
        "mlp": mlp,
        "block": block["forward"],
        "transformer": step["forward"] - step["head"],
        "dense": step["head"],
        "backward_total": step["backward"],
        "palm_style": palm["model"],
    }
    return _holds(row, got[row["id"].rpartition("/")[2]])


@pytest.mark.parametrize("row", _rows("megatron_throughput"))
def test_megatron_counts_four_forwards_of_the_blocks(
    stage: ModuleType, row: dict[str, Any]
) -> None:
    i = row["inputs"]
    if row["unit"] == "days":
        step = stage.training_flops([(i["T"], i["P"], 1)], recompute="full")
        return _holds(row, step["hardware"] / (i["n"] * i["X"]) / 86400)
    step = stage.transformer_step_flops(i["l"], i["h"], i["s"], i["B"], i["V"], recompute="full")
    return _holds(row, step["hardware"])


@pytest.mark.parametrize("row", _rows("measured_mfu"))
def test_measured_utilisation_of_model_and_of_hardware(
    stage: ModuleType, row: dict[str, Any]
) -> None:
    i = row["inputs"]
    recompute = "full" if i.get("k", 1) > 1 else "none"
    step = _token(stage, i, recompute)
    flops = step["hardware" if row["id"].endswith("/hfu") else "model"]
    _holds(row, 100 * i["tok"] * flops / (i["n"] * i["pk"]))
