"""What a worker measures with: a unit's probes, and the instruments that they name.

All of it is bound before a line of the student's runs, in the zygote if it can be: a stage that
puts other functions into a module later is not asked for them. That goes for instruments which a
probe imports only when it is called, too; a stage could put another module in their place.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.sandbox import flavors, stage, untouched

INSTRUMENTS = "grader.instruments"
ALWAYS_HELD = ("probes", INSTRUMENTS)


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
        for name in [name for name in sys.modules if name.startswith("probes.")]:
            del sys.modules[name]  # parts of others, which the zygote has loaded
        probes = dict(vars(stage.load(Path(place), "probes")))
        _load_instruments(Path(place))
        questions = {
            name: importlib.import_module(f"{INSTRUMENTS}.{name}").answers_known_question
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


def _load_instruments(place: Path) -> None:
    """Import each instrument that the probes name anywhere, unless this flavour refuses it."""
    for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            for name in _imported(node):
                if name.startswith(f"{INSTRUMENTS}."):
                    _import_unless_refused(name)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module == INSTRUMENTS:
        return [f"{INSTRUMENTS}.{alias.name}" for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def _import_unless_refused(name: str) -> None:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if error.msg != flavors.NO_TORCH:
            raise


def _is_right(question: Callable[[], bool]) -> bool:
    try:
        return question() is True
    except BaseException:  # whatever was done to it, it no longer answers
        return False
