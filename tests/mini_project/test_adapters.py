"""What is wrong with an adapter is told in one line, and nothing else is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.subject import Bench
from grader.cli.entry import run as run_command
from grader.grading import GradeRequest, grade
from grader.sandbox.limits import Limits
from tests.mini_project.test_matrix import Silent
from tests.mini_project.work import UNIT, Work, checked, said, started
from tests.units.course import CONTENT

SOUND = """\
import itertools
import torch
from torch import nn

class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

class Nothing(nn.Module):
    pass

def make_model(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

def make_batches(seed):
    generator = torch.Generator().manual_seed(seed)
    return [
        (torch.randn(16, 4, generator=generator), torch.arange(16) % 2) for _ in range(4)
    ]

def loss(model, batch):
    x, y = batch
    return nn.functional.cross_entropy(model(x), y)
"""

WRONG = {
    "no parameter": ("def make_model(seed): return Nothing()", "the model has no parameter"),
    "buffers alone": (
        "def make_model(seed): return Buffers()",
        "the model has buffers, but no parameter: there is nothing to train",
    ),
    "frozen": (
        "def make_model(seed): return nn.Linear(4, 2).requires_grad_(False)",
        "no parameter of the model requires a gradient",
    ),
    "one layer frozen": (
        "def make_model(seed):\n    model = nn.Linear(4, 2)\n"
        "    model.bias.requires_grad_(False)\n    return model",
        "the parameter bias requires no gradient",
    ),
    "in evaluation": (
        "def make_model(seed): return nn.Linear(4, 2).eval()",
        "a model in evaluation mode",
    ),
    "one batch": (
        "def make_batches(seed): return [(torch.ones(2, 4), torch.ones(2))]",
        "gives 1 batch",
    ),
    "other rows": (
        "def make_batches(seed): return [(torch.ones(2, 4), torch.ones(3), torch.ones(2))] * 2",
        "have [2, 3, 2] rows",
    ),
    "no module": ("def make_model(seed): return 3", "a value of type int, not a torch.nn.Module"),
    "other weights": (
        "def make_model(seed): return nn.Linear(4, 2)",
        "make_model(0) gives other weights the second time",
    ),
    "loss of many numbers": (
        "def loss(model, batch): return model(batch[0])",
        "loss returns a tensor of shape (16, 2), no scalar",
    ),
    "loss without a graph": (
        "def loss(model, batch): return model(batch[0]).sum().detach()",
        "the loss has no graph",
    ),
    "a number": ("def loss(model, batch): return 0.5", "a value of type float, not a tensor"),
    "not finite": (
        "def loss(model, batch): return model(batch[0]).sum() * float('inf')",
        "which is not finite",
    ),
    "no steps": ("def make_batches(seed): return []", "a run of zero steps trains nothing"),
    "without end": (
        "def make_batches(seed): return itertools.repeat((torch.ones(2, 4), torch.ones(2)))",
        "more than 64 batches, perhaps without end",
    ),
    "no batches": ("def make_batches(seed): return 7", "a value of type int, no batches"),
    "arrays": ("def make_batches(seed): return [[1, 2]]", "a batch is a value of type list"),
    "missing": ("del loss", "there is no function `loss`"),
    "of the wrong kind": ("loss = 'cross entropy'", "`loss` is a value of type str"),
    "other arguments": ("def loss(model): return 0", "`loss` does not take (model, batch)"),
    "raises": ("def loss(model, batch): return model(batch)", "at adapter.py line"),
}


def own(root: Path, change: str) -> Work:
    """Lay out a project of one's own with the solution's stage and an adapter."""
    work = started(root, "clip", "own")
    stage = (CONTENT.solutions / UNIT.folder / "torch_stage.py").read_text(encoding="utf-8")
    (work.folder / "torch_stage.py").write_text(stage, encoding="utf-8")
    (work.folder / "adapter.py").write_text(f"{SOUND}\n{change}\n", encoding="utf-8")
    return work


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=WRONG)
def test_an_adapter_that_cannot_be_trained_is_told_in_a_line(
    change: str, words: str, bench: Bench, tmp_path: Path
) -> None:
    evidence = checked(own(tmp_path, change), bench, "g")
    assert {found.status for found in evidence} == {Status.NOT_MET}, said(evidence)
    messages = {found.message for found in evidence}
    assert all(message.startswith(("adapter.py: ", "Your code raised")) for message in messages)
    assert all(words in message and "\n" not in message for message in messages), messages


def test_an_adapter_that_is_sound_is_not_complained_of(bench: Bench, tmp_path: Path) -> None:
    evidence = checked(own(tmp_path, ""), bench, "c", "e", "f")
    assert {found.status for found in evidence} == {Status.MET}, said(evidence)


def test_a_loss_that_never_comes_back_is_stopped(bench: Bench, tmp_path: Path) -> None:
    change = "def loss(model, batch):\n    while True:\n        pass"
    hurried = replace(bench, limits=Limits(wall=60.0, cpu=3.0))
    evidence = checked(own(tmp_path, change), hurried, "c")
    assert [found.status for found in evidence] == [Status.STOPPED]
    assert re.search("processor time|time limit", evidence[0].message)


def test_an_adapter_still_to_be_filled_in_is_not_attempted(bench: Bench, tmp_path: Path) -> None:
    work = started(tmp_path, "clip", "own")
    stage = (CONTENT.solutions / UNIT.folder / "torch_stage.py").read_text(encoding="utf-8")
    (work.folder / "torch_stage.py").write_text(stage, encoding="utf-8")
    evidence = checked(work, bench, "c", "g")
    assert {found.status for found in evidence} == {Status.NOT_ATTEMPTED}
    assert {found.message for found in evidence} == {"adapter.py: make_model is still a stub."}


def test_a_sheet_that_cannot_be_measured_costs_nothing_else(bench: Bench, solution: Work) -> None:
    work = solution
    (work.folder / "adapter.py").write_text(
        f"{SOUND}\ndef make_batches(seed): return []\n", encoding="utf-8"
    )
    assert run_command(["predict", UNIT.id, "--submission", str(work.root)]) == 0
    request = GradeRequest(UNIT, work.root, work.root / ".grade", seed="lost")
    outcome = grade(request, CONTENT, Silent(), bench.sandbox)
    told = json.loads(outcome.path.read_text())["problems"]
    assert any("parameter_bytes" in str(one) and "zero steps" in str(one) for one in told), told
    levels = {row.id: str(row.level) for row in outcome.rows}
    assert levels["timing"] == "none"  # the profile is of this adapter too
    assert {found.check for found in outcome.evidence if found.status is Status.MET} >= {
        "mini-project.a/each_phase_has_its_own_time",
        "mini-project.P/parameter_bytes",
    }


def test_a_sheet_alone_that_cannot_be_measured_is_no_success(bench: Bench, solution: Work) -> None:
    (solution.folder / "adapter.py").write_text(
        f"{SOUND}\ndef make_batches(seed): return []\n", encoding="utf-8"
    )
    assert run_command(["predict", UNIT.id, "--submission", str(solution.root)]) == 0
    request = GradeRequest(
        UNIT, solution.root, solution.root / ".grade", seed="sheet", task="sheet"
    )
    assert grade(request, CONTENT, Silent(), bench.sandbox).status == 1
