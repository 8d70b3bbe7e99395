"""What a worker measures with: a unit's probes, and the instruments that they name.

All of it is bound before a line of the student's runs, in the zygote if it can be: a stage that
puts other functions into a module later is not asked for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.sandbox import stage, untouched

ALWAYS_HELD = ("probes", "grader.instruments")


@dataclass(frozen=True, slots=True)
class Equipment:
    """Probes and instruments as they were loaded.

    Attributes:
        place: The file or folder of the probes.
        probes: What their module holds, by name.
        questions: For each instrument whether it answers its known question right.
        before: What the modules of all these held.
    """

    place: str = ""
    probes: Mapping[str, Any] = field(default_factory=dict)
    questions: Mapping[str, Callable[[], bool]] = field(default_factory=dict)
    before: tuple[untouched.Held, ...] = ()

    @classmethod
    def load(cls, place: str) -> Equipment:
        """Import the probes and the instruments they name; what their code raises passes."""
        probes = dict(vars(stage.load(Path(place), "probes")))
        questions = {
            name: importlib.import_module(f"grader.instruments.{name}").answers_known_question
            for name in probes.get("INSTRUMENTS", ())
        }
        held = untouched.held((*ALWAYS_HELD, *probes.get("UNTOUCHED", ())))
        return cls(place, probes, questions, held)

    def trials(self) -> dict[str, bool]:
        """Ask each instrument its known question, and whether anything was replaced."""
        found = {name: _is_right(question) for name, question in self.questions.items()}
        if name := untouched.replaced(self.before):
            found[f"{name}, which was replaced,"] = False
        return found


def _is_right(question: Callable[[], bool]) -> bool:
    try:
        return question() is True
    except BaseException:  # whatever was done to it, it no longer answers
        return False
