from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.checks.evidence import Status
from grader.course.unit import SheetField, Task, Unit
from grader.errors import Problem
from grader.predictions.gap import JudgedTerm
from grader.predictions.residual import Numbers, Residual, State
from grader.predictions.series import (
    Bar,
    Bars,
    Lane,
    Lanes,
    Layer,
    Layers,
    Part,
    Span,
)
from grader.predictions.verdict import SealVerdict, SealWord
from grader.report.model import build_report
from grader.report.page.render import page
from grader.scoring.rows import Level, Row
from tests.report.conftest import circumstances, evidence
from tests.report.page.reading import Page, read

SEALED = "2026-03-01T12:03:00Z"
STORY = """\
This is safe against a kill and not against a power loss, which may leave this:
1. openat: temporary made (0 B)
2. write: temporary 0 -> 20140 B
   ...
9. rename: temporary -> run/state.bin
-- power loss --
run/state.bin holds 0 of 20140 B: it was not synchronised
left: run/state.bin (0 B)"""

BARS = Bars(
    "Time of each phase",
    "s",
    "median and quartiles of 25 steps",
    (
        Bar("forward", 3e-4, 2.9e-4, 3.4e-4),
        Bar("backward", 6e-4),
        Bar("optimizer", 2e-3, 1e-3, 3e-3),
    ),
)
RATIO = Bars("Old over new", "1", "", (Bar("old / new", 1.02, 0.98, 1.1),), reference=1.0)
LAYERS = Layers(
    "Memory over a step",
    "B",
    "after each operator",
    (Layer("parameters", (400, 400, 400, 400)), Layer("gradients", (0, 0, 100, 400))),
    (Part("forward", 1), Part("backward", 3)),
)
LANES = Lanes(
    "What a timer encloses",
    "s",
    "on the simulated device",
    (
        Lane("no sync", (Span("prints 75 us", 0, 75e-6),)),
        Lane("its device", (Span("older work", 0, 5e-4), Span("kernel 1", 5e-4, 6e-4))),
    ),
)


def the_unit() -> Unit:
    hints = ("one", "two", "three")
    fields = ("slowest", "memory", "flops", "peak", "share", "sync", "ratio")
    return Unit(
        id="8.9",
        title="Profiling <phases> & more",
        hours=5,
        verbs=("measure",),
        rows=("prediction", "timing"),
        tasks=(Task("8.9.a", "numpy", "f", "Self time", 20, "timing", hints),),
        fields=tuple(SheetField(name, "exact", name, "B", measure="m") for name in fields),
        preload=(),
        path=Path("u89"),
    )


def residuals() -> tuple[Residual, ...]:
    def field(name: str, kind: str, state: State, **more: Any) -> Residual:
        texts = {"predicted_text": "a", "measured_text": "b", "residual_text": ""}
        return Residual(name, kind, f"What is {name}?", state=state, **(texts | more))

    believed = JudgedTerm("layer_1_input_gradient", "1572864 FLOP", believed=True, size=-1572864)
    doubted = JudgedTerm("biases", "12 B", believed=False, message="its measured size is another")
    return (
        field("slowest", "choice", State.EXACT, series=BARS),
        field("memory", "choice", State.EXACT, series=LAYERS),
        field(
            "flops", "exact", State.EXPLAINED,
            predicted_text="5750784 FLOP", measured_text="4177920 FLOP",
            residual_text="-1572864 FLOP", terms=(believed,),
            numbers=Numbers("FLOP", 5750784, 4177920),
        ),
        field(
            "peak", "exact", State.NOT_EXPLAINED, message="not believed: biases",
            predicted_text="1000 B", measured_text="1024 B", residual_text="+24 B",
            terms=(doubted,), numbers=Numbers("B", 1000, 1024),
        ),
        field("share", "exact", State.EXACT, numbers=Numbers("%", 60, 60)),
        field("sync", "text", State.FOR_A_PERSON, series=LANES),
        field("ratio", "choice", State.EXACT, series=RATIO),
    )  # fmt: skip


def make_report(**more: Any) -> dict[str, Any]:
    """Return a report with one of everything."""
    sheet = [
        evidence("P", name=f"{field.field}{ending}", row="prediction")
        for field in residuals()
        for ending in ("", "/explained")
    ]
    found = [
        evidence("a", name="nested", title="Self times add up in the trace."),
        evidence(
            "a", Status.NOT_MET, name="twice", message="It is not.", expected="1.5", got="3",
            unit="ms", mistake="This is what <adding> totals gives.", output="hello\nworld",
        ),
        evidence("b", Status.NOT_MET, name="crash", message=STORY, level="strong"),
        evidence("c", Status.SKIPPED, name="cuda", message="This machine has no CUDA device."),
        evidence("d", Status.INCONCLUSIVE, name="noisy", message="Too noisy to say."),
    ]  # fmt: skip
    parts: dict[str, Any] = {
        "evidence": [*found, *sheet],
        "seal": SealVerdict(
            SealWord.SEALED, "the sheet was sealed first", "0" * 64, SEALED, SEALED, 2, ("flops",)
        ),
        "residuals": residuals(),
        "rows": [
            Row(
                "prediction", "Prediction before measurement", Level.PASS, Level.PASS, ("Met: 9.",)
            ),
            Row(
                "timing",
                "Honest timing",
                Level.NONE,
                Level.NONE,
                ("Met: 1 of 4.", "8.9.a/twice (pass) is not met: Twice."),
            ),
        ],
        "problems": [Problem("numpy_stage.py:3", "is odd", "mend it")],
    }
    return build_report(the_unit(), circumstances(), **(parts | more))


@pytest.fixture(scope="session")
def report() -> dict[str, Any]:
    made = make_report()
    for check in made["checks"]:  # the helpers name every check after unit 8.4
        check["id"] = check["id"].replace("8.4.", "8.9.")
        check["task"] = check["task"].replace("8.4.", "8.9.")
    return made


@pytest.fixture(scope="session")
def html(report: dict[str, Any]) -> str:
    return page(report)


@pytest.fixture(scope="session")
def seen(html: str) -> Page:
    return read(html)
