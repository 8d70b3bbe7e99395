"""Probes of unit 8.1: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import sys

from .arrays import costs, pulled, refused, vjp
from .graphs import counted, counted_truth
from .penalty import both_guarded, penalised, penalised_memory, penalised_truth
from .refusals import diagnosed
from .saves import closed, instrumented, reported, watched_run
from .sheet import (
    measure_dropout_mask,
    measure_nodes,
    measure_packs,
    measure_residual,
    measure_saved_bytes,
    measure_second_backward,
    measure_slice_bytes,
    measure_unsaved_weight,
)
from .steps import guarded
from .truths import mlp_saves, torch_linear, torch_relu, torch_xent

# Both need torch, which the NumPy stage's workers do without.
INSTRUMENTS = ("live_bytes", "saved_tensors") if "torch" in sys.modules else ()
