"""The memory calculators give the figures that papers, libraries and calculators have printed.

The rows in `tables/` name their sources. Each is turned into one call of a calculator; nothing is
computed with the formula that stands beside a figure.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TABLES = Path(__file__).parent / "tables"
ADAM = {"weight": 2, "gradient": 2, "activation": 2, "state": 4, "states": 2, "master": 4}
GB, GIB, MIB = 10**9, 2**30, 2**20


def _rows(table: str) -> list[Any]:
    data = json.loads((TABLES / f"{table}.json").read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["id"]) for row in data["rows"]]


def _holds(row: dict[str, Any], got: float) -> None:
    assert got == pytest.approx(row["expected"], rel=row["tol"])


@pytest.mark.parametrize("row", _rows("zero_model_states"))
def test_zero_table_1(stage: ModuleType, row: dict[str, Any]) -> None:
    _, parts, _ = row["id"].split("/")
    split = {"os": 1, "os+g": 2, "os+g+p": 3}[parts]
    billions, devices = row["inputs"]["P"], row["inputs"]["N"]
    weights = (int(billions * GB),)
    _holds(row, stage.training_bytes([weights], [], ADAM, split, devices)["total"] / GB)


def _a_million(stage: ModuleType, **policy: int) -> dict[str, float]:
    """Return bytes of each part for one parameter, by a model of a million."""
    plain = {"weight": 4, "gradient": 4, "activation": 4, "state": 4, "states": 2}
    parts = stage.training_bytes([(10**6,)], [], {**plain, **policy})
    return {name: size / 10**6 for name, size in parts.items()}


def _optimizer_state(stage: ModuleType, row: dict[str, Any]) -> float:
    kind, name = row["id"].split("/")
    if kind in ("fp32_params", "bf16_params"):
        size = 4 if kind.startswith("fp32") else 2
        return _a_million(stage, state=size, states=row["inputs"]["n"])["optimizer"]
    if name == "step_tensor":
        shapes = [(3, 4)] * 7
        named = stage.training_bytes(shapes, [], "fp32")["optimizer"]
        return (named - stage.training_bytes(shapes, [], ADAM)["optimizer"]) / len(shapes)
    if name == "gradients_fp32":
        return _a_million(stage, weight=2)["gradients"]
    if kind == "pure_fp32":
        return _a_million(stage)["total"]
    if kind == "pure_bf16":
        return _a_million(stage, weight=2, gradient=2, state=2)["total"]
    # fp32 gradients beside half-precision weights, states and master copy split over the devices
    megatron = {**ADAM, "gradient": 4}
    elements, devices = 64 * 10**6, row["inputs"]["dp"]
    return stage.training_bytes([(elements,)], [], megatron, 1, devices)["total"] / elements


@pytest.mark.parametrize("row", _rows("optimizer_state"))
def test_optimizer_states_and_conventions(stage: ModuleType, row: dict[str, Any]) -> None:
    _holds(row, _optimizer_state(stage, row))


def _layer(stage: ModuleType, inputs: dict[str, Any], how: str) -> dict[str, int]:
    words = how.split("+")
    return stage.transformer_activation_bytes(
        *(inputs[name] for name in "sbha"),
        tensor_parallel=inputs["t"] if "tensor" in words else 1,
        sequence_parallel="sequence" in words,
        recompute=next((word for word in ("selective", "full") if word in words), "none"),
    )


def _saved_by_selection(stage: ModuleType, width: int, heads: int) -> float:
    whole = stage.transformer_activation_bytes(2048, 1, width, heads)
    less = stage.transformer_activation_bytes(2048, 1, width, heads, recompute="selective")
    return 1 - less["total"] / whole["total"]


@pytest.mark.parametrize("row", _rows("activation_memory"))
def test_activations_of_korthikanti(stage: ModuleType, row: dict[str, Any]) -> None:
    if "/per_layer/" in row["id"]:
        got = _layer(stage, row["inputs"], row["id"].rpartition("/")[2])["total"]
    elif row["id"].endswith("quadratic_ratio"):
        i = row["inputs"]
        scores = _layer(stage, i, "none")["scores"]
        got = scores / (i["s"] * i["b"] * i["h"])
    elif row["id"] == "layer/attention_linear_part":
        got = stage.transformer_activation_bytes(5, 2, 12, 3)["attention"] / (5 * 2 * 12)
    else:
        got = _saved_by_selection(
            stage, *{"175B": (12288, 96), "530B": (20480, 128)}[row["id"].partition("/")[0]]
        )
    _holds(row, got)


@pytest.mark.parametrize("row", _rows("calculator_cases"))
def test_worked_cases_of_the_accountant(stage: ModuleType, row: dict[str, Any]) -> None:
    i = row["inputs"]
    policy = {"weight": i["wb"], "gradient": i["gb"], "activation": i["ab"], "state": i["ob"],
              "states": i["nst"], "master": i["mb"]}  # fmt: skip
    parts = stage.training_bytes(row["parameter_shapes"], row["activation_shapes"], policy)
    got = parts[row["id"].rpartition("/")[2]]
    assert got == row["expected"]
    assert isinstance(got, int)


ALLOCATOR = {
    "kMinBlockSize": lambda stage: stage.round_size(1),
    # the largest request that still gets a small segment
    "kSmallSize": lambda stage: max(
        n for n in range(MIB - 1024, MIB + 1025) if stage.segment_size(n) == 2 * MIB
    ),
    "kRoundLarge": lambda stage: stage.segment_size(12 * MIB + 1) - stage.segment_size(12 * MIB),
    # configurations of cuBLAS: pairs of KiB and how many
    "linear_1x1_forward/workspace_left": lambda stage: _workspace(stage, [(4096, 2), (16, 8)]),
    "cublas/:16:8": lambda stage: _workspace(stage, [(16, 8)]),
    "cublas/:4096:8": lambda stage: _workspace(stage, [(4096, 8)]),
}


def _workspace(stage: ModuleType, buffers: list[tuple[int, int]]) -> int:
    """Return what a work space of some buffers, asked for as one, has allocated."""
    return stage.round_size(sum(stage.to_bytes(f"{kib} KiB") * n for kib, n in buffers))


@pytest.mark.parametrize("row", _rows("cuda_allocator"))
def test_the_cuda_allocator(stage: ModuleType, row: dict[str, Any]) -> None:
    if not row["id"].startswith("request_"):
        return _holds(row, ALLOCATOR[row["id"]](stage))
    if row["id"].endswith("/allocated"):
        return _holds(row, stage.round_size(row["inputs"]["n"]))
    allocator = stage.CachingAllocator()
    allocator.malloc(row["inputs"]["n"])
    assert allocator.stats()["reserved"] == stage.segment_size(row["inputs"]["n"])
    return _holds(row, allocator.stats()["reserved"])


@pytest.mark.parametrize("row", _rows("transformer_math_101"))
def test_transformer_math_101(stage: ModuleType, row: dict[str, Any]) -> None:
    name = row["id"].partition("/")[2]
    if row["id"].startswith("neox_20b"):
        # the one count of parameters that gives all the printed parts
        shapes, neox = [(20_575_500_000,)], {**ADAM, "gradient": 4}
        held = stage.training_bytes(shapes, [], neox)
        master = (
            held["parameters"]
            - stage.training_bytes(shapes, [], {**neox, "master": 0})["parameters"]
        )
        layer = stage.transformer_activation_bytes(2048, 1, 6144, 64, recompute="selective")
        parts = {
            "parameters": held["parameters"] - master,
            "gradients": held["gradients"],
            "optimizer": held["optimizer"] + master,
            "activations": 44 * layer["total"],
        }
        printed = {part: round(size / GIB, 2) for part, size in parts.items()}
        _holds(row, {**printed, "total": sum(printed.values())}[name])
    elif name.startswith("gradients"):
        size = 4 if name.endswith("fp32") else 2
        assert _a_million(stage, gradient=size)["gradients"] == row["expected"]
    else:
        states = {"adamw_optimizer": (4, 2), "adam_8bit": (1, 2), "sgd_momentum": (4, 1)}[name]
        # its optimizer has the master copy, which is a part of the parameters here
        parts = _a_million(stage, weight=2, state=states[0], states=states[1], master=4)
        _holds(row, parts["optimizer"] + parts["parameters"] - 2)
