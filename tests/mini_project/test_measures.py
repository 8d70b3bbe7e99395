"""What the grader measures beside an adapter, where a careless count would be another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.checks.subject import Bench
from tests.mini_project.test_adapters import own

VIEWS = """
_plain = make_batches

def make_batches(seed):
    found = []
    for x, y in _plain(seed):
        large = x.new_zeros(40 * x.numel())
        large[: x.numel()] = x.flatten()
        found.append((large[: x.numel()].view(x.shape), y))
    return found

_loss = loss

def loss(model, batch):
    x, y = batch
    return _loss(model, (x.view(x.shape), y))
"""


def answer(bench: Bench, root: Path, change: str, probe: str) -> Any:
    work = own(root, change)
    (work.folder / "trainer.py").write_text(
        (bench.unit.hidden / "start" / "trainer.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    stage = work.folder / "torch_stage.py"
    with bench.sandbox.worker("torch", stage=stage, probes=bench.probes) as worker:
        found = worker.call(probe, {"seed": 0})
    assert found.status == "ok", found
    return found.value


def test_the_peak_of_a_step_is_without_the_batch(bench: Bench, tmp_path: Path) -> None:
    """A batch that is a view into a larger storage, or is viewed by the model, adds nothing."""
    plain = answer(bench, tmp_path / "plain", "", "peaks")
    assert answer(bench, tmp_path / "views", VIEWS, "peaks") == plain
