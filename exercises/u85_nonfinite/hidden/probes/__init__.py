"""Probes of unit 8.5: they run beside the student's code and return plain data, no truth.

The workers of the NumPy stage read these files too and have no torch: what needs it is left out
there.
"""

from __future__ import annotations

import sys
from typing import Any

from .arrays import numeric

if "torch" in sys.modules:
    from .backward import backward_find, replayed
    from .forward import forward_find
    from .guards import counted, counted_on_a_device, guard_test, guarded
    from .mortem import mortem
    from .safe import masked, rows, safe_where
    from .scenes import live_detectors
    from .sheet import (
        measure_anomaly_slowdown,
        measure_blamed_node,
        measure_guilty,
        measure_half_squares,
        measure_matrix_log,
        measure_matrix_softmax,
        measure_matrix_sqrt,
        measure_matrix_where,
        measure_poisoned,
        measure_where_gradient,
    )
    from .truths import fused_attention, torch_logsumexp, torch_sqrt_grad

    INSTRUMENTS = ("host_syncs",)

    _WATCHED = {
        "backward_find": backward_find,
        "counted": counted,
        "forward_find": forward_find,
        "guard_test": guard_test,
        "guarded": guarded,
        "masked": masked,
        "mortem": mortem,
        "replayed": replayed,
        "rows": rows,
        "safe_where": safe_where,
    }


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    from grader.instruments.settings import changed_by

    value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    return {"value": value, "changed": changed}
