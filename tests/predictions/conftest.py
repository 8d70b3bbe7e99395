"""A small unit with one field of each kind, and a workspace for its sheet."""

from pathlib import Path

import pytest
from hypothesis import settings

from grader.course.unit import SheetField, Unit
from grader.predictions.ledger import LEDGER_FILE, Ledger

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

FILLED = """\
forward_flops = "21626880 FLOP"
peak = "1.6 MB"
step_time = "12.5 ms"
wait_share = "45 %"
calls = 2
slowest = "forward"
why = "It is the arithmetic, 21.6 MFLOP."
"""


@pytest.fixture(scope="session")
def unit():
    return Unit(
        id="8.9",
        title="A unit to predict for",
        hours=1.0,
        verbs=("measure",),
        rows=("prediction",),
        tasks=(),
        fields=(
            SheetField(
                name="forward_flops",
                kind="exact",
                title="FLOPs of a forward pass",
                unit="FLOP",
                terms=("attention", "head"),
                measure="measure_forward_flops",
            ),
            SheetField("peak", "exact", "Bytes at the peak", "B", terms=("state",), measure="peak"),
            SheetField("step_time", "band", "Time of a step", "s", measure="time", band=0.2),
            SheetField("wait_share", "band", "Share of waiting", "%", measure="wait", band=0.1),
            SheetField("calls", "exact", "Calls of on_trace_ready", "1", measure="calls"),
            SheetField(
                name="slowest",
                kind="choice",
                title="The slowest phase",
                choices=("data_wait", "transfer", "forward", "backward", "optimizer"),
                measure="slowest",
            ),
            SheetField(
                name="why",
                kind="text",
                title="Why it is the slowest",
                terms=("arithmetic", "memory"),
                measure="why",
            ),
        ),
        preload=(),
        path=Path("exercises/u89_profiling"),
    )


@pytest.fixture
def filled():
    return FILLED


@pytest.fixture
def write(tmp_path):
    """Write a sheet, as text or bytes, and return its path."""

    def write_sheet(content, name="prediction.toml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_sheet


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / LEDGER_FILE)
