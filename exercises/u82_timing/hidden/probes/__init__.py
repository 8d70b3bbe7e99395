"""Probes of unit 8.2: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import sys

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
from .timers import closed_book, evented, phased, timed
from .uploads import passed_on, prefetched

# they need torch, which the NumPy stage's workers do not have
INSTRUMENTS = (
    ("simulated_streams", "simulated_device", "host_syncs") if "torch" in sys.modules else ()
)
