"""What the grader measures beside an adapter, where a careless count would be another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.checks.subject import Bench
from grader.course.project import sound_trainer
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
    (work.folder / "trainer.py").write_text(sound_trainer(bench.unit), encoding="utf-8")
    stage = work.folder / "torch_stage.py"
    with bench.sandbox.worker("torch", stage=stage, probes=bench.unit.probes) as worker:
        case = {"seed": 0, "warm": 1, "start": sound_trainer(bench.unit), "adapter": None}
        found = worker.call(probe, case)
    assert found.status == "ok", found
    return found.value


def test_the_peak_of_a_step_is_without_the_batch(bench: Bench, tmp_path: Path) -> None:
    """A batch that is a view into a larger storage, or is viewed by the model, adds nothing."""
    plain = answer(bench, tmp_path / "plain", "", "peaks")
    assert answer(bench, tmp_path / "views", VIEWS, "peaks") == plain


SCALAR = """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.linear(x) * self.scale

def make_model(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Scaled()
"""


def test_the_moments_of_a_scalar_parameter_are_no_counters(bench: Bench, tmp_path: Path) -> None:
    """11 numbers in 3 tensors: two moments of 44 B, and three counts of 4 B."""
    found = answer(bench, tmp_path, SCALAR, "measure_optimizer")
    assert found["value"] == 2 * 44 + 12
    assert found["terms"] == {
        "step_counters": 12, "one_moment": 44, "vectors": 2 * 12, "eight_bytes": -88,
    }  # fmt: skip
