"""Probes of unit 8.9: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import os
from typing import Any

from grader.instruments.calls import calls
from grader.instruments.settings import changed_by

from .closed_book import closed_book
from .counts import count_mlp, count_transformer
from .loop import annotated, operators, profiled, read_clock, reconciled, supplied
from .sheet import (
    measure_backward_flops,
    measure_forward_flops,
    measure_residual,
    measure_sdpa_missing,
    measure_set_to_none,
    measure_slowest_phase,
    measure_trace_calls,
    measure_wait_share,
)
from .variants import verified

INSTRUMENTS = ("trace",)

# the profiler of torch 2.13 otherwise writes a line on stderr at each start and stop
os.environ.setdefault("KINETO_LOG_LEVEL", "99")

_WATCHED = {
    "annotated": annotated,
    "closed_book": closed_book,
    "operators": operators,
    "profiled": profiled,
    "read_clock": read_clock,
    "reconciled": reconciled,
    "supplied": supplied,
    "verified": verified,
}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    return {"value": value, "changed": changed}
