"""Probes of unit 8.6: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import sys
from typing import Any

from grader.instruments.calls import calls
from grader.instruments.settings import changed_by

from .chain import plain_chain, recomputed_chain, refused_chain, replayed
from .hand import by_hand
from .report import compared, reported
from .sheet import (
    measure_batches_tracked,
    measure_below_the_rule,
    measure_checkpointed_ratio,
    measure_forward_calls,
    measure_live_checkpointed,
    measure_live_plain,
    measure_no_early_stop_ratio,
    measure_plain_ratio,
    measure_who_pays,
    measure_whole_model,
)
from .steps import measured, plain_flops, plain_step, refused, stepped
from .tanh_chain import live_chain

# both need torch, which the NumPy stage's workers do not have
INSTRUMENTS = ("live_bytes", "flops") if "torch" in sys.modules else ()

_WATCHED = {
    "by_hand": by_hand,
    "compared": compared,
    "measured": measured,
    "reported": reported,
    "stepped": stepped,
}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    return {"value": value, "changed": changed}
