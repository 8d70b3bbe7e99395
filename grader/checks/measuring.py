"""Measure the predicted quantities of a unit, in a worker that runs the course's code alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.checks.draw import Draw
from grader.checks.subject import Bench
from grader.errors import SandboxError
from grader.sandbox.limits import Limits

LIMITS = Limits(wall=120.0, cpu=90.0)


def measure_fields(
    bench: Bench, seed: str, note: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Return the raw measurement of each field of the unit's sheet that has one, by its name.

    No student code is in the process: what is measured is the course's own workload.

    Raises:
        SandboxError: if a quantity cannot be measured on this machine.
    """
    fields = [field for field in bench.unit.fields if field.measure]
    if not fields:
        return {}
    measured = {}
    with bench.sandbox.worker("torch", stage=None, probes=bench.probes, limits=LIMITS) as worker:
        for field in fields:
            note(f"measuring: {field.title}")
            case = {"seed": Draw(seed, field.name).seed}
            answer = worker.call(field.measure, case)
            if answer.status != "ok":
                why = answer.error.message if answer.error else answer.stop
                raise SandboxError(f"{field.name} could not be measured: {why}")
            measured[field.name] = answer.value
    return measured
