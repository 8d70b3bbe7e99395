"""What the fields of the sheet come to."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .formats import live_forward
from .scaler import torch_scaler

SHEET_WIDTHS, SHEET_BATCH = (192, 512, 256, 10), 48


def _measured_dtype(dtype: Any) -> dict[str, Any]:
    """Return a dtype's name, and the spacing of each candidate at 1 as its number."""
    import torch

    names = ("float32", "float16", "bfloat16")
    return {
        "value": str(dtype).removeprefix("torch."),
        "terms": {name: torch.finfo(getattr(torch, name)).eps for name in names},
        "note": "the number of a dtype is its spacing at 1",
    }


def measure_softmax_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at a softmax under float16 autocast."""
    import torch

    layer, x = torch.nn.Linear(4, 3), torch.ones(2, 4)
    with torch.autocast("cpu", dtype=torch.float16):
        return _measured_dtype(torch.softmax(layer(x), -1).dtype)


def _sheet_loss() -> tuple[Any, Any]:
    import torch

    layer, x = torch.nn.Linear(4, 3), torch.ones(2, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(layer(x), torch.zeros(2, dtype=torch.long))
    return layer, loss


def measure_loss_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at a cross-entropy under bfloat16 autocast."""
    return _measured_dtype(_sheet_loss()[1].dtype)


def measure_gradient_dtype(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at the gradient that its backward leaves."""
    layer, loss = _sheet_loss()
    loss.backward()
    return _measured_dtype(layer.weight.grad.dtype)


def _half(value: float) -> float:
    import torch

    return float(torch.tensor(value).half())


def measure_fp16_of_2049(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a whole number that lies between two of float16."""
    import torch

    value = _half(2049.0)
    above = float(torch.nextafter(torch.tensor(value).half(), torch.tensor(math.inf).half()))
    return {
        "value": value,
        "terms": {"not_rounded": value - 2049.0, "tie_away_from_zero": value - above},
    }


def measure_fp16_of_65519(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a number between the largest float16 and where the next one would be."""
    value, largest = _half(65519.0), _half(65504.0)
    spacing = largest - _half(65472.0)
    return {
        "value": value,
        "terms": {"not_rounded": value - 65519.0, "rounded_up": value - (largest + spacing)},
    }


def measure_fp16_of_65520(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round the first number that is as near to where the next one would be."""
    value = _half(65520.0)
    word = "infinity" if math.isinf(value) else "nan" if math.isnan(value) else ""
    word = word or ("unchanged" if value == 65520.0 else "largest_float16")
    return {"value": word, "terms": {"first_to_overflow": 65520.0}}


def measure_fp16_of_small(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Round a number just below half of the smallest float16."""
    import torch

    value, normal = _half(2.9e-8), torch.finfo(torch.float16).smallest_normal
    subnormal = normal * torch.finfo(torch.float16).eps
    words = {0.0: "zero", subnormal: "smallest_subnormal", normal: "smallest_normal"}
    return {
        "value": words.get(value, "unchanged"),
        "terms": {"largest_to_underflow": subnormal / 2},
    }


def measure_bf16_increment(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Add smaller and smaller powers of two to 1 until it stays 1."""
    import torch

    found = {}
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        one = torch.ones((), dtype=dtype)
        found[dtype] = max(k for k in range(40) if bool(one + torch.tensor(2.0**-k).to(dtype) != 1))
    value = found[torch.bfloat16]
    return {
        "value": value,
        "terms": {
            "tie_goes_to_even": -1,
            "mantissa_of_float16": value - found[torch.float16],
            "mantissa_of_float32": value - found[torch.float32],
        },
    }


def _wrong_scale(*, reset: bool = True, back: bool = True, grow: bool = True, late: int = 0) -> Any:
    """Return the scale of the sheet's loop if the scaler had one thing wrong."""
    scale, count = Fraction(1024), 0
    for iteration in range(1, 11):
        if iteration == 3:
            scale = scale / 4 if back else scale
            count = 0 if reset else count
            continue
        count += 1
        if grow and count == 3 + late:
            scale, count = scale * 3, 0
    return float(scale)


def measure_scale_after(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run torch's scaler over the sheet's ten iterations."""
    options = {"init_scale": 1024.0, "growth_factor": 3.0, "backoff_factor": 0.25,
               "growth_interval": 3}  # fmt: skip
    bad = [iteration == 3 for iteration in range(1, 11)]
    value = torch_scaler(stage, {"options": options, "bad": bad, "value": math.inf})[-1][0]
    return {
        "value": value,
        "terms": {
            "counter_not_reset": value - _wrong_scale(reset=False),
            "no_backoff": value - _wrong_scale(back=False),
            "no_growth": value - _wrong_scale(grow=False),
            "growth_a_step_late": value - _wrong_scale(late=1),
        },
    }


def measure_bf16_forward_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count what is alive after the sheet's forward."""
    first, *hidden, classes = SHEET_WIDTHS
    live = live_forward(stage, {"widths": list(SHEET_WIDTHS), "batch": SHEET_BATCH})
    weights = 2 * sum(a * b for a, b in pairwise(SHEET_WIDTHS[1:]))
    inputs = 2 * SHEET_BATCH * first
    return {
        "value": live["bf16"],
        "terms": {
            "weight_copies": weights,
            "input_copy": inputs,
            "all_copies": weights + inputs,
            "first_weight_copy": -2 * first * hidden[0],
            "activations_in_float32": -2 * SHEET_BATCH * sum(hidden),
            "log_probabilities": 2 * SHEET_BATCH * classes,
            "bias_copies": -2 * (sum(hidden) + classes),
        },
        "note": f"{live['fp32']} B without autocast",
    }


def measure_why_more_memory(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Give the size of each copy that autocast makes, as the forward of the sheet has them."""
    seen = measure_bf16_forward_bytes(stage, case)
    terms = {
        name: abs(seen["terms"][name]) for name in ("weight_copies", "input_copy", "bias_copies")
    }
    return {"value": "weight_copies", "terms": terms}


def measure_clipped_update(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Clip the scaled gradient of true norm 5 to 2, unscale, and step with SGD."""
    import torch

    def update(*, unscale_first: bool) -> float:
        weight = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
        optimizer = torch.optim.SGD([weight], lr=1.0)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        scaler.scale((weight * torch.tensor([3.0, 4.0])).sum()).backward()
        if unscale_first:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 2.0)
        scaler.step(optimizer)
        scaler.update()
        return float(weight.detach().norm())

    # clipping divides by the norm plus 1e-6, which is no part of the question
    value = float(f"{update(unscale_first=False):.7g}")
    right = float(f"{update(unscale_first=True):.5g}")
    return {
        "value": value,
        "terms": {
            "unscaled_after_clipping": value - right,
            "not_clipped": value - 5.0,
            "threshold_not_reached": value - 5.0 / 1024,
        },
    }
