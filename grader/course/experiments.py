"""The experiments of a unit's self-test: short scripts that show why an answer is what it is.

They stay with the installed course, beside the hidden checks: who could run one before answering
would not have to think. `exercises/<unit>/experiments/q3.py` belongs to question q3.
"""

from __future__ import annotations

from pathlib import Path

from grader.course.unit import Unit

EXPERIMENTS = "experiments"


def experiment_of(unit: Unit, question: str) -> Path | None:
    """Return the script of one question, None if it has none."""
    path = unit.path / EXPERIMENTS / f"{question}.py"
    return path if path.is_file() else None
