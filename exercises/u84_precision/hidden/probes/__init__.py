"""Probes of unit 8.4: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

from typing import Any

from grader.instruments.settings import changed_by

from .formats import live_forward, torch_decode, torch_limits, torch_low_precision_sgd, torch_round
from .handed import calls, heard
from .maps import (
    configured,
    lost_in_a_run,
    machine,
    mapped,
    mapped_alone,
    mapped_by_hand,
    mapped_on_cuda,
    needed,
)
from .scaler import scaler_script, torch_scaler
from .sheet import (
    measure_bf16_forward_bytes,
    measure_bf16_increment,
    measure_clipped_update,
    measure_fp16_of_2049,
    measure_fp16_of_65519,
    measure_fp16_of_65520,
    measure_fp16_of_small,
    measure_gradient_dtype,
    measure_loss_dtype,
    measure_scale_after,
    measure_softmax_dtype,
    measure_why_more_memory,
)
from .steps import closed_book, plain_step, refused_step, stepped

_WATCHED = {
    "mapped": mapped,
    "mapped_alone": mapped_alone,
    "needed": needed,
    "configured": configured,
    "stepped": stepped,
    "refused_step": refused_step,
    "closed_book": closed_book,
}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer, settings that were left changed, and warnings."""
    with heard() as warned:
        value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    return {"value": value, "changed": changed, "warnings": warned}
