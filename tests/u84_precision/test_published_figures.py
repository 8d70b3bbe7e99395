"""The calculators and the scaler give the figures that standards, papers and reports have printed.

The rows in `tables/` name their sources. Each is turned into calls of the solved stage; nothing is
computed with the formula that stands beside a figure.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

TABLES = Path(__file__).parent / "tables"
FLOAT16, BFLOAT16 = (5, 10), (8, 7)


def _rows(table: str) -> list[Any]:
    data = json.loads((TABLES / f"{table}.json").read_text(encoding="utf-8"))
    return [pytest.param(row, id=row["id"]) for row in data["rows"]]


def _holds(row: dict[str, Any], got: float) -> None:
    assert got == pytest.approx(row["expected"], rel=row["tol"], abs=0)


@pytest.mark.parametrize("row", _rows("float_formats"))
def test_limits_of_the_formats(stage: ModuleType, row: dict[str, Any]) -> None:
    inputs = row["inputs"]
    # an exponent beyond the bias holds numbers only where there is no infinity
    infinity = inputs["emax"] == inputs["bias"]
    limits = stage.format_limits(inputs["e"], inputs["m"], infinity)
    _holds(row, limits[row["id"].rpartition("/")[2]])


def _run(stage: ModuleType, bad: list[bool], **options: float) -> Any:
    scaler = stage.LossScaler(**options)
    for wrong in bad:
        scaler.step([np.array([np.inf if wrong else 1.0])], lambda gradients: None)
        scaler.update()
    return scaler


@pytest.mark.parametrize("row", [r for r in _rows("grad_scaler") if r.id.startswith("default")])
def test_defaults_are_torchs(stage: ModuleType, row: dict[str, Any]) -> None:
    name = row["id"].rpartition("/")[2]
    theirs = inspect.signature(torch.amp.GradScaler).parameters[name].default
    assert theirs == row["expected"]
    ours = inspect.signature(stage.LossScaler).parameters
    assert name == "enabled" or ours[name].default == row["expected"]


TRACES: dict[str, Callable[[int], list[bool]]] = {
    "one_inf": lambda steps: [True],
    "eight_inf": lambda steps: [True] * 8,
    "2000_good": lambda steps: [False] * 2000,
    "4000_good": lambda steps: [False] * 4000,
    "inf_then_2000_good": lambda steps: [True] + [False] * 2000,
}


@pytest.mark.parametrize(
    "row", [r for r in _rows("grad_scaler") if "growth_tracker" in r.values[0]]
)
def test_traces_of_the_scaler(stage: ModuleType, row: dict[str, Any]) -> None:
    inputs = row["inputs"]
    bad = TRACES[row["id"].rpartition("/")[2]](inputs["steps"])
    assert len(bad) == inputs["steps"]
    scaler = _run(
        stage,
        bad,
        init_scale=inputs["init"],
        growth_factor=inputs["g"],
        backoff_factor=inputs["b"],
        growth_interval=inputs["interval"],
    )
    _holds(row, scaler.scale)
    assert scaler.growth_tracker == row["growth_tracker"]


def _halvings(stage: ModuleType) -> int:
    count, scaler = 0, stage.LossScaler()
    while scaler.scale > 256:
        scaler.unscale([np.array([np.inf])])
        scaler.update()
        count += 1
    return count


def _clipped_while_scaled(stage: ModuleType) -> float:
    scaler, applied = stage.LossScaler(), []
    gradient = np.array([3.0, 4.0]) * scaler.scale
    clipped = gradient / np.linalg.norm(gradient)
    scaler.step([clipped], lambda gradients: applied.append(gradients[0]))
    return float(np.linalg.norm(applied[0]))


def _divided_by_the_next_scale(stage: ModuleType) -> float:
    scaler = stage.LossScaler(4.0, growth_interval=1)
    scaled = np.array([scaler.scale_loss(1.0)])
    scaler.unscale([np.ones(1)])
    scaler.update()
    return float(scaler.unscale([scaled])[0][0])


MISTAKES: dict[str, Callable[[ModuleType], float]] = {
    "trace/halvings_65536_to_256": _halvings,
    "clip_error/update_shrinks_by_scale": _clipped_while_scaled,
    "deepspeed_8588/gradient_used_on_growth_step": _divided_by_the_next_scale,
}


@pytest.mark.parametrize("row", [r for r in _rows("grad_scaler") if r.id in MISTAKES])
def test_what_mistakes_with_a_scale_come_to(stage: ModuleType, row: dict[str, Any]) -> None:
    _holds(row, MISTAKES[row["id"]](stage))


def test_every_row_of_the_scaler_is_held() -> None:
    for row in _rows("grad_scaler"):
        known = row.id.startswith("default/") or row.id in MISTAKES
        assert known or row.id.rpartition("/")[2] in TRACES


def _half(stage: ModuleType, value: float) -> float:
    return float(stage.decode(stage.encode(value, *FLOAT16), *FLOAT16))


def _lost_ratio(stage: ModuleType, fmt: tuple[int, int]) -> int:
    """Return the smallest power of two by which a weight of 1 can exceed an update that is lost."""
    ratio = 1
    while not stage.sgd_master([1.0], [[-1.0]], 1 / ratio, *fmt)["lost"]:
        ratio *= 2
    return ratio


@pytest.mark.parametrize("row", _rows("mixed_precision_paper"))
def test_mixed_precision_training_paper(stage: ModuleType, row: dict[str, Any]) -> None:
    name, inputs = row["id"], row["inputs"]
    if name == "fp16/smallest_normal":
        got = stage.format_limits(*FLOAT16)["smallest_normal"]
    elif name.endswith("/lost_ratio"):
        got = _lost_ratio(stage, BFLOAT16 if name.startswith("bf16") else FLOAT16)
    else:
        scale = 65536 if "65536" in name else 1
        got = _half(stage, inputs["g"] * scale) / scale
    _holds(row, got)
