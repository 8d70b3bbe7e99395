"""The figures in the lesson of unit 8.3 are what the models and a meter give."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

LESSON = (Path(__file__).resolve().parents[2] / "exercises" / "u83_memory" / "README.md").read_text(
    encoding="utf-8"
)
WIDTHS, BATCH = [20, 48, 24, 6], 10


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def _table() -> dict[str, dict[str, int]]:
    rows = re.findall(r"^\| (forward|backward|update) \|(.*)\|$", LESSON, re.M)
    return {
        name: dict(zip(("before", "peak", "after"),
                       (int(cell.replace(" ", "")) for cell in cells.split("|")), strict=True))
        for name, cells in rows
    }  # fmt: skip


def test_the_worked_example_is_the_models(stage: ModuleType) -> None:
    found = stage.predict_phases(WIDTHS, BATCH)
    assert _table() == {name: found[name] for name in ("forward", "backward", "update")}
    assert f"{found['parameters'] // 4} in all: {found['parameters']} B" in LESSON
    assert _spaced(found["optimizer"]) in LESSON
    assert stage.predict_phases(WIDTHS, 200 * BATCH)["peak_phase"] == "backward"


def test_the_worked_example_is_what_a_meter_reads(torch_stage: ModuleType) -> None:
    model = nn.Sequential(
        nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 6)
    )
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x, y, held = torch.zeros(BATCH, 20), torch.zeros(BATCH, dtype=torch.long), {}
    phases = [
        ("forward", lambda: held.update(loss=F.cross_entropy(model(x), y))),
        ("backward", lambda: held.pop("loss").backward()),
        ("update", lambda: (optimizer.step(), optimizer.zero_grad())),
    ]
    meter = torch_stage.LiveMeter()
    meter.track(list(model.parameters()), x, y)
    torch_stage.phase_memory(phases, meter)
    assert torch_stage.phase_memory(phases, meter)["phases"] == _table()


def test_requested_allocated_reserved(stage: ModuleType) -> None:
    allocator = stage.CachingAllocator()
    allocator.malloc(1_000_000)
    for name in ("requested", "allocated", "reserved"):
        (line,) = re.findall(rf"^{name} .* {{3}}([\d ]+) B$", LESSON, re.M)
        assert int(line.replace(" ", "")) == allocator.stats()[name]


def test_mebibytes_and_megabytes(stage: ModuleType) -> None:
    for unit, percent in (("M", "4.9"), ("G", "7.4")):
        ratio = stage.to_bytes(f"1 {unit}iB") / stage.to_bytes(f"1 {unit}B")
        assert f"{100 * (ratio - 1):.1f}" == percent
        assert f"{percent} % of each {unit}iB" in LESSON
