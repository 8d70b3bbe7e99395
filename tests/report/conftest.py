from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from grader.checks.evidence import Evidence, Status
from grader.course.content import installed_content
from grader.course.unit import SheetField, Task, Unit
from grader.report.layout import PlainConsole
from grader.report.model import Circumstances

HINTS = ("How far is each neighbour?", "Look at a tie.", "Add half, then cut.")


@pytest.fixture(scope="session")
def schema_path() -> Path:
    return installed_content().rubric / "schema" / "report-1.json"


@pytest.fixture
def unit() -> Unit:
    def task(letter: str, stage: str, title: str, minutes: int) -> Task:
        return Task(f"8.4.{letter}", stage, f"f_{letter}", title, minutes, "timing", HINTS)

    return Unit(
        id="8.4",
        title="Precision formats, autocast and gradient scaling",
        hours=5,
        verbs=("implement",),
        rows=("prediction", "timing"),
        tasks=(
            task("a", "numpy", "Decode", 10),
            task("b", "numpy", "Round to bf16", 20),
            task("g", "torch", "An AMP step", 30),
        ),
        fields=(SheetField("peak", "exact", "Peak bytes", "B", measure="measure_peak"),),
        preload=(),
        path=Path("u84_precision"),
    )


def evidence(letter: str, status: Status = Status.MET, name: str = "x", **more: Any) -> Evidence:
    fields = {"title": f"What {letter} promises holds.", "row": "timing", "level": "pass"}
    return Evidence(f"8.4.{letter}/{name}", f"8.4.{letter}", status=status, **(fields | more))


def circumstances(**more: Any) -> Circumstances:
    moment = datetime(2026, 3, 1, 12, 3, tzinfo=UTC)
    fields: dict[str, Any] = {
        "submission": "work",
        "digest": "0" * 64,
        "seed": "7f3a",
        "started": moment,
        "finished": moment,
        "interrupted": False,
        "versions": {"python": "3.11", "torch": "2.13", "numpy": None, "torch_evidence": "0.1"},
        "machine": {"system": "Linux"},
        "confinement": 2,
        "confinement_words": "confined (level 2)",
        "practice": False,
    }
    return Circumstances(**(fields | more))


@dataclass
class Screen:
    """A console of a given width, and what stands on it."""

    console: PlainConsole
    file: io.StringIO

    @property
    def text(self) -> str:
        return self.file.getvalue()

    @property
    def words(self) -> str:
        """The text with all white space made single, so that wrapping does not matter."""
        return " ".join(self.text.split())


@pytest.fixture
def screen() -> Callable[[int], Screen]:
    def make(width: int = 80) -> Screen:
        file = io.StringIO()
        return Screen(PlainConsole(file, width), file)

    return make
