"""Probes of the project: they run beside the student's code and return plain data, no truth.

Trainers come as source text in the case; what they train is the student's adapter.
"""

from __future__ import annotations

from .faulty import discriminated, guarded, handed_over, measured
from .invalid import captured, invalid, refound, replayed
from .optimizing import controls, equivalent, peaks, speed
from .programs import tried
from .resuming import (
    loaded,
    prepared,
    refused,
    resumed,
    save_killed,
    save_watched,
    saved,
)
from .sheet import (
    as_trained,
    measure_activations,
    measure_gradients,
    measure_optimizer,
    measure_parameters,
    measure_slowest,
)
from .tables import few_repeats, memory, moved, timed
from .tables import saved as saved_by_layers

INSTRUMENTS = ("live_bytes", "saved_tensors", "host_syncs", "phases", "gain")
UNTOUCHED = ("torch.amp", "torch.nn.functional", "torch.nn.utils")
"""Parts of torch that all trainers run, so that a stage which replaced one would weigh on all."""
