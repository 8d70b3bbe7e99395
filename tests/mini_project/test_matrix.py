"""Each of the five faults with each of the two models: solved, untouched, and repaired wrongly.

Solved, each fault has one of the models, and both have their turns; GRADE_MATRIX=all solves each
fault with each model.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.checks.evidence import Status
from grader.checks.subject import Bench
from grader.cli.entry import run as run_command
from grader.course.project import sound_trainer
from grader.course.variants import read_sites, with_fault
from grader.grading import GradeRequest, grade
from grader.scoring.rows import score
from grader.scoring.rubric import read_rubric
from tests.mini_project.work import FAULTS, MODELS, UNIT, Work, checked, said, solved, started
from tests.units.course import CONTENT, Silent

EVERY_PROJECT = [
    pytest.param(fault, model, id=f"{fault}-{model}") for fault in FAULTS for model in MODELS
]

SOLVED = [
    case
    for number, case in enumerate(EVERY_PROJECT)
    if os.environ.get("GRADE_MATRIX") == "all" or number % 4 in (1, 2)
]


def levels(work: Work, bench: Bench) -> tuple[dict[str, str], dict[str, object]]:
    request = GradeRequest(UNIT, work.root, work.root / ".grade", seed="matrix")
    outcome = grade(request, CONTENT, Silent(), bench.sandbox)
    return {row.id: str(row.level) for row in outcome.rows}, outcome.report


@pytest.mark.parametrize(("fault", "model"), SOLVED)
def test_the_solution_is_strong_on_every_row(
    fault: str, model: str, bench: Bench, tmp_path: Path
) -> None:
    work = solved(tmp_path, fault, model, bench.sandbox)
    assert run_command(["predict", UNIT.id, "--submission", str(work.root)]) == 0
    reached, report = levels(work, bench)
    missed = [one for one in report["checks"] if one["status"] != "met"]  # type: ignore[attr-defined]
    assert missed == []
    assert reached == dict.fromkeys(UNIT.rows, "strong")
    to_read = {one["id"] for one in report["checks"] if one["person"]}  # type: ignore[attr-defined]
    assert to_read == {
        "mini-project.a/the_profile_is_of_this_run",
        "mini-project.h/a_rejected_hypothesis_has_its_number",
        "mini-project.j/the_claim_is_what_is_measured",
    }
    assert report["problems"] == []


@pytest.mark.parametrize(("fault", "model"), EVERY_PROJECT)
def test_the_untouched_trainer_gets_none_on_fault_repair(
    fault: str, model: str, bench: Bench, tmp_path: Path
) -> None:
    work = started(tmp_path, fault, model)
    stage = (CONTENT.solutions / UNIT.folder / "torch_stage.py").read_text(encoding="utf-8")
    (work.folder / "torch_stage.py").write_text(stage, encoding="utf-8")
    evidence = checked(work, bench, "g")
    lost = [found for found in evidence if found.status is not Status.MET]
    assert lost, said(evidence)
    assert all(found.status is Status.NOT_MET for found in lost), said(evidence)
    rows = score(evidence, UNIT.rows, read_rubric(CONTENT.rubric))
    assert {row.id: str(row.at_most) for row in rows}["fault_repair"] == "none"


@pytest.mark.parametrize(
    "site", read_sites(UNIT.hidden / "faults.toml"), ids=lambda site: f"{site.fault}-{site.name}"
)
def test_a_trainer_that_has_any_fault_at_any_place_is_not_repaired(
    site: object, bench: Bench, tmp_path: Path
) -> None:
    """Whoever repairs something else than the fault hands in one of these."""
    work = started(tmp_path, "scaler", "mlp")
    stage = (CONTENT.solutions / UNIT.folder / "torch_stage.py").read_text(encoding="utf-8")
    (work.folder / "torch_stage.py").write_text(stage, encoding="utf-8")
    text = with_fault(sound_trainer(UNIT), site)  # type: ignore[arg-type]
    (work.folder / "trainer.py").write_text(text, encoding="utf-8")
    lost = [found.check for found in checked(work, bench, "g") if found.status is Status.NOT_MET]
    assert lost == ["mini-project.g/no_fault_is_left"]


def test_the_untouched_start_is_not_attempted(bench: Bench, tmp_path: Path) -> None:
    work = started(tmp_path, "clip", "mlp")
    reached, report = levels(work, bench)
    assert reached == dict.fromkeys(UNIT.rows, "none")
    assert {one["status"] for one in report["checks"]} == {"not attempted"}  # type: ignore[attr-defined]
