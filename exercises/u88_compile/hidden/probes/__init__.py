"""Probes of unit 8.8: they run beside the student's code and return plain data, no truth.

torch is imported inside functions: the NumPy stage's workers read these files too.
"""

from __future__ import annotations

import sys
from typing import Any

from grader.instruments.calls import calls
from grader.instruments.settings import changed_by

from .breaks import (
    counted,
    found,
    known,
    known_counts,
    of_modules,
    raising,
    torch_guards,
    torch_logs,
)
from .capturing import captured, guarded, logged
from .closed_book import closed_book
from .comparing import compared
from .portable import portable
from .repairs import inspected, repaired, warm_counts, warm_state, warmed
from .sheet import (
    measure_batches_automatic,
    measure_batches_dynamic,
    measure_batches_static,
    measure_branch_missed,
    measure_broken,
    measure_cubes_dynamic,
    measure_integers,
    measure_item_missed,
    measure_lengths,
    measure_marked,
    measure_modes,
    measure_module_counter,
    measure_next_batch,
    measure_print_missed,
    measure_transposed,
)
from .timing import steady

# without torch there is nothing to ask about graphs
INSTRUMENTS = ("graph_breaks",) if "torch" in sys.modules else ()

_WATCHED = {
    "closed_book": closed_book,
    "compared": compared,
    "counted": counted,
    "found": found,
    "inspected": inspected,
    "portable": portable,
    "raising": raising,
    "repaired": repaired,
    "steady": steady,
    "warmed": warmed,
}


def watched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run another probe; return its answer and the settings that are not what they were."""
    before = _configured()
    value, changed = changed_by(lambda: _WATCHED[case["probe"]](stage, case))
    after = _configured()
    changed += [f"torch._dynamo.config.{name}" for name in before if after[name] != before[name]]
    return {"value": value, "changed": changed}


def _configured() -> dict[str, str]:
    """Return those settings of torch._dynamo that decide what breaks and what is compiled again."""
    from torch._dynamo import config

    names = (
        "accumulated_recompile_limit", "allow_unspec_int_on_nn_module", "assume_static_by_default",
        "automatic_dynamic_shapes", "capture_dynamic_output_shape_ops", "capture_scalar_outputs",
        "disable", "error_on_recompile", "fail_on_recompile_limit_hit", "recompile_limit",
        "specialize_int", "suppress_errors",
    )  # fmt: skip
    return {name: str(getattr(config, name)) for name in names if hasattr(config, name)}
