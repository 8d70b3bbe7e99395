"""Probes of unit 8.7: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

from typing import Any

from grader.instruments.calls import calls
from grader.instruments.settings import changed_by

from .boundaries import boundaries
from .closed_book import closed_book, look_into
from .crashes import (
    atomic_killed,
    atomic_refused,
    atomic_relative,
    atomic_watched,
    closed_book_watched,
    from_a_device,
    grader_watched,
    loaded_by_stage,
    loaded_for_sure,
    plant,
    prepared,
    save_killed,
    save_refused,
    save_watched,
    saved,
)
from .divergence import diverging, missing_parts, several_parts
from .momentum import torch_momentum
from .packing import described, packed, packing_refused, unpacked, unpacked_damaged
from .runs import restoring_refused, resumed, saved_run
from .sheet import (
    measure_catching_tolerance,
    measure_checkpoint_bytes,
    measure_loads_after_kill,
    measure_silent_part,
    measure_thread_boundary,
    measure_without_buffers,
    measure_without_generator,
    measure_without_optimizer,
    measure_without_scaler,
    measure_without_scheduler,
)

INSTRUMENTS = ("file_calls",)

_WATCHED = {"boundaries": boundaries}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    return {"value": value, "changed": changed}
