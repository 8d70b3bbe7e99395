"""Measurements for the prediction sheet. No student code is in the process.

The size of a term is what must be added to the prediction of somebody who made that mistake alone.
"""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from grader.instruments.detectors import bad_entries, detector_row

from .scenes import SCENES

_LOG_X = np.ones((5, 4), dtype=np.float32) * 2
_LOG_X[2, 1] = _LOG_X[2, 3] = _LOG_X[4, 0] = -1
_LOG_STEP = {"x": _LOG_X, "out": 37, "tanh": True}


def _row(scene: str, case: dict[str, Any], allow: tuple[str, ...] = ()) -> Any:
    return detector_row(lambda trace: SCENES[scene](case, trace), allow)


def _matrix(scene: str, case: dict[str, Any], allow: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the word of a scene with a number: the bad values, allowed ones where none is not."""
    row = _row(scene, case, allow)
    values = sum(bad_entries(value) for _, value in row.trace)
    last = [g for run in row.nodes[-1:] for g in run.incoming if g is not None]
    gradients = sum(bad_entries(gradient) for gradient in last)
    allowed = values - row.bad_values
    return {
        "value": row.word,
        "terms": {row.word: row.bad_values + gradients or allowed},
        "note": f"{row.bad_values} bad values, {gradients} bad gradients, {allowed} allowed -inf",
    }


def _numbers(*values: float) -> Any:
    return np.array(values, dtype=np.float32)


def measure_matrix_sqrt(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the root at 0 under three detectors."""
    return _matrix("one_operation", {"op": "sqrt", "x": _numbers(0, 0, 4, 9)})


def measure_matrix_where(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the single `where` under three detectors."""
    return _matrix("one_where", {"op": "rsqrt", "x": _numbers(-1, 0, 0, 4, 9)})


def measure_matrix_log(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the logarithm of negative numbers under three detectors."""
    return _matrix("one_operation", {"op": "log", "x": _numbers(-1, -2, -3, -4, -5, 6)})


def measure_matrix_softmax(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run attention with an allowed mask under three detectors."""
    x = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32)
    return _matrix("masked_attention", {"x": x}, ("scores",))


def measure_blamed_node(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask anomaly detection for a node; the number is that of the bad weight gradients."""
    row = _row("linear_after_log", _LOG_STEP)
    blamed = next(run for run in row.nodes if run.name == row.blamed)
    bad = sum(bad_entries(gradient) for gradient in blamed.outgoing if gradient is not None)
    return {"value": row.blamed, "terms": {row.blamed: bad}, "note": f"{bad} bad gradients"}


def measure_guilty(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bad values that each operation of that step gives out."""
    trace = dict(_row("linear_after_log", _LOG_STEP).trace)
    return {
        "value": None,
        "terms": {name: bad_entries(trace[name]) for name in ("log", "linear")},
    }


def measure_where_gradient(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bad gradients of a root behind which a single `where` stands."""
    x = torch.arange(-6.0, 6.0, requires_grad=True)
    torch.where(x > 0, x.sqrt(), 0).sum().backward()
    bad = ~x.grad.isfinite()
    return {
        "value": int(bad.sum()),
        "terms": {
            "zero": int(bad[x.detach() == 0].sum()),
            "positive_entries": -int((~bad).sum()),
        },
    }


def measure_poisoned(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take one clipped step with one NaN in one gradient, and count what it spoils."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4))
    model(torch.ones(2, 6)).sum().backward()
    model[0].weight.grad[1, 2] = torch.nan
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    bad = {name: bad_entries(parameter) for name, parameter in model.named_parameters()}
    whole = sum(bad.values())
    return {
        "value": whole,
        "terms": {
            "biases": sum(count for name, count in bad.items() if name.endswith("bias")),
            "second_layer": sum(count for name, count in bad.items() if name.startswith("2")),
            "other_entries": whole - 1,
        },
    }


def measure_half_squares(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the squares that float16 does not hold."""
    x = torch.arange(1, 301).half()
    square = x * x
    inf = int(square.isinf().sum())
    above_int16 = int((x.long() ** 2 > 2**15 - 1).sum())
    return {
        "value": inf,
        "terms": {
            "square_of_256": int(square[x == 256].isinf().sum()),
            "beyond_int16": inf - above_int16,
        },
    }


def measure_anomaly_slowdown(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a step bare, with anomaly detection, and with it but without its look for NaN."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
    )
    x, y = torch.randn(16, 64), torch.zeros(16, dtype=torch.long)

    def seconds(*, on: bool, check_nan: bool) -> float:
        begin = time.perf_counter()
        with torch.autograd.set_detect_anomaly(on, check_nan=check_nan):
            F.cross_entropy(model(x), y).backward()
        return time.perf_counter() - begin

    def measure() -> list[tuple[float, float, float]]:
        return [
            (
                seconds(on=False, check_nan=False),
                seconds(on=True, check_nan=True),
                seconds(on=True, check_nan=False),
            )
            for _ in range(220)
        ][20:]

    # Each operation records the Python stack: in a thread it is as short as in a plain script.
    with ThreadPoolExecutor(1) as thread:
        rounds = thread.submit(measure).result()
    # a step is far shorter than the time for which another process takes the CPU, so that the
    # fast ones among many were not interrupted, however busy the machine is
    deciles = [statistics.quantiles(times, n=10) for times in zip(*rounds, strict=True)]
    bare, full, unchecked = (tenth[0] for tenth in deciles)
    known = all(tenth[2] < 1.5 * tenth[0] for tenth in deciles)
    return {
        "value": full / bare if known else None,
        "terms": {"both_parts": full / bare - 1, "nan_checks": (full - unchecked) / bare},
        "note": f"{1e6 * bare:.3g} us and {1e6 * full:.3g} us",
    }
