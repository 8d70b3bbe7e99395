"""Probes of unit 8.2: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from grader.instruments.calls import calls

from .cuda import prefetched_on_cuda, timed_on_cuda
from .operators import operator_step, phased_model
from .sheet import (
    measure_bottleneck,
    measure_end_only_timer,
    measure_honest_timer,
    measure_host_syncs,
    measure_makespan,
    measure_naive_ratio,
    measure_naive_timer,
    measure_sync_moved,
)
from .syncs import found_syncs, trained
from .timers import Broken, closed_book, evented, phased, timed
from .uploads import passed_on, prefetched

# they need torch, which the NumPy stage's workers do not have
INSTRUMENTS = (
    ("simulated_streams", "simulated_device", "host_syncs") if "torch" in sys.modules else ()
)


_WATCHED = {"closed_book": closed_book, "evented": evented, "phased": phased, "timed": timed}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the probe of a timer; say whether its function raised, and what was left changed."""
    from grader.instruments.settings import changed_by

    def raised() -> bool:
        try:
            _WATCHED[case["probe"]](stage, case)
        except Broken:
            return True
        return False

    before = _collector()
    broke, changed = changed_by(raised)
    if _collector() != before:
        changed = [*changed, "garbage collector"]
    return {"raised": broke, "changed": changed}


def _collector() -> tuple[Any, ...]:
    """Return what the garbage collector is told to do."""
    return gc.isenabled(), gc.get_threshold(), gc.get_debug()
