"""Probes of unit 8.3: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

import sys

from grader.instruments.calls import calls

from .leaks import leaking
from .live import device_counts, live_inference, live_phases, live_saved, live_states
from .meters import device_metered, metered, metered_together
from .numpy_stage import numpy_calls, replayed
from .phases import phased
from .sheet import (
    measure_adamw_bytes,
    measure_foreach_room,
    measure_forward_bytes,
    measure_gap,
    measure_gradient_bytes,
    measure_parameter_bytes,
    measure_peak_phase,
    measure_reserved_bytes,
    measure_step_peak,
)
from .states import closed_book, fitted, owned

# they need torch, which the NumPy stage's workers refuse
INSTRUMENTS = ("live_bytes", "saved_tensors") if "torch" in sys.modules else ()

__all__ = [
    "INSTRUMENTS",
    "calls",
    "closed_book",
    "device_counts",
    "device_metered",
    "fitted",
    "leaking",
    "live_inference",
    "live_phases",
    "live_saved",
    "live_states",
    "measure_adamw_bytes",
    "measure_foreach_room",
    "measure_forward_bytes",
    "measure_gap",
    "measure_gradient_bytes",
    "measure_parameter_bytes",
    "measure_peak_phase",
    "measure_reserved_bytes",
    "measure_step_peak",
    "metered",
    "metered_together",
    "numpy_calls",
    "owned",
    "phased",
    "replayed",
]
