"""Measure the predicted quantities of a unit, in a worker that runs the course's code alone.

A unit whose sheet asks about the student's own code is measured beside that code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.checks.draw import Draw
from grader.checks.subject import Bench, is_stub
from grader.course.unit import stage_file
from grader.errors import Problem, SandboxError, SubmissionError
from grader.sandbox.client import Answer
from grader.sandbox.limits import Limits

LIMITS = Limits(wall=120.0, cpu=90.0)


def measure_fields(
    bench: Bench,
    seed: str,
    note: Callable[[str], None] = lambda _: None,
    beside: Path | None = None,
) -> dict[str, Any]:
    """Return the raw measurement of each field of the unit's sheet that has one, by its name.

    Args:
        bench: Unit and sandbox.
        seed: Seed of the measurement.
        note: Called with what is being measured.
        beside: Folder of a student's files, for a unit that is measured beside them. Without it no
            student code is in the process: what is measured is the course's own workload.

    Raises:
        SandboxError: if a quantity cannot be measured on this machine.
        SubmissionError: if it cannot be measured beside the student's files.
    """
    fields = [field for field in bench.unit.fields if field.measure]
    if not fields:
        return {}
    stage = beside / stage_file("torch") if beside is not None else None
    measured = {}
    with bench.sandbox.worker(
        "torch", stage=stage, probes=bench.unit.probes, limits=LIMITS
    ) as worker:
        for field in fields:
            note(f"measuring: {field.title}")
            case = {"seed": Draw(seed, field.name).seed}
            answer = worker.call(field.measure, case)
            why = _what_went_wrong(answer)
            if why and stage is not None:
                raise SubmissionError(Problem(field.name, f"could not be measured: {why}"))
            if why:
                raise SandboxError(f"{field.name} could not be measured: {why}")
            measured[field.name] = answer.value
    return measured


def _what_went_wrong(answer: Answer) -> str:
    """Return why an answer is no measurement; empty if it is one."""
    if answer.error is not None and is_stub(answer.error):
        return f"{answer.error.message or 'a function'} is still a stub"
    if answer.status != "ok":
        return answer.error.message if answer.error else answer.stop
    changed = [name for name, honest in answer.trials.items() if not honest]
    return f"{', '.join(changed)} no longer answers a known question" if changed else ""
