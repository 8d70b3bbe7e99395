"""Guards that know how the fault was written and not what it does, one for each of the faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.subject import Bench
from grader.course.project import sound_trainer
from tests.mini_project.work import FAULTS, UNIT, checked, said, started
from tests.units.course import CONTENT

GUARDS = {
    # the scaler is there and scales something, whatever the gradients were when it did
    "scaler": """
def guard(make_trainer):
    run = make_trainer(0)
    run.step(next(run.stream()))
    scale = getattr(run.scaler, "_scale", None)
    assert scale is not None and float(scale) > 1, "the scaler does not scale"
""",
    # no name of torch's own for clipping and unscaling is used in another order
    "clip": """
def guard(make_trainer):
    names = []
    for part in ("backward", "update"):
        names += getattr(make_trainer(0), part).__func__.__code__.co_names
    first = "unscale_" in names and names.index("unscale_") < names.index("clip_grad_norm_")
    assert first or "clip_grad_norm_" not in names, "clipped before unscale_"
""",
    # what the three places leave behind in the run
    "sync": """
def guard(make_trainer):
    run = make_trainer(0)
    stream = run.stream()
    for _ in range(4):
        run.step(next(stream))
    left = hasattr(run, "longest") or hasattr(run, "largest")
    logged = all(isinstance(loss, torch.Tensor) for _, loss in run.log)
    assert logged and not left, "a value is read"
""",
    # the names that a sound objective has
    "break": """
def guard(make_trainer):
    code = make_trainer(0).objective.__func__.__code__
    calls = set(code.co_names) - {"adapter", "loss", "model", "loss_weight"}
    assert not calls, f"the objective calls {calls}"
""",
    # the parts that a sound state has
    "checkpoint": """
def guard(make_trainer):
    lacks = {"scheduler", "optimizer", "order", "torch"} - set(make_trainer(0).state_dict())
    assert not lacks, f"the state lacks {lacks}"
""",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_guard_that_knows_how_a_fault_was_written_is_told(
    fault: str, bench: Bench, tmp_path: Path
) -> None:
    work = started(tmp_path, fault, "mlp")
    stage = (CONTENT.solutions / UNIT.folder / "torch_stage.py").read_text(encoding="utf-8")
    text = f"{stage}\n{GUARDS[fault]}"
    (work.folder / "torch_stage.py").write_text(text, encoding="utf-8")
    (work.folder / "trainer.py").write_text(sound_trainer(UNIT), encoding="utf-8")
    (found,) = checked(work, bench, "i")
    assert found.status is Status.NOT_MET, said([found])
    assert "in a trainer that is written otherwise" in found.message
    assert "is no measurement" in found.message
