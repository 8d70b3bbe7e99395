"""`grade project start`: a trainer with one fault, made by its seed alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.cli.entry import run
from grader.course.project import MODELS, sound_trainer
from grader.course.variants import faults_of, read_sites, with_fault
from grader.errors import CourseError
from tests.units.course import CONTENT, UNITS

UNIT = UNITS["mini-project"]
SITES = read_sites(UNIT.hidden / "faults.toml")


@pytest.mark.parametrize("model", MODELS)
def test_a_project_is_laid_out(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["project", "start", "--seed", "mine", "--model", model]) == 0
    folder = tmp_path / UNIT.folder
    names = {path.name for path in folder.iterdir()}
    assert names >= {*UNIT.files, "README.md", "torch_stage.py", "prediction.toml"}
    assert not names & {"hidden", "unit.toml"}
    trainer = (folder / "trainer.py").read_text()
    assert trainer != sound_trainer(UNIT)
    assert {"make_trainer", "Trainer"} <= {
        node.name
        for node in ast.parse(trainer).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def test_the_same_seed_gives_the_same_trainer_and_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert run(["project", "start", "--seed", "again"]) == 0
        texts.append((tmp_path / name / UNIT.folder / "trainer.py").read_text())
    assert texts[0] == texts[1]
    path = tmp_path / "two" / UNIT.folder / "trainer.py"
    path.write_text("mine")
    capsys.readouterr()
    assert run(["project", "start", "--seed", "other"]) == 2
    assert "a project has begun here" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_a_workspace_keeps_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / UNIT.folder
    folder.mkdir()
    (folder / "torch_stage.py").write_text("# mine")
    monkeypatch.chdir(folder)
    assert run(["project", "start"]) == 0
    assert (folder / "torch_stage.py").read_text() == "# mine"
    assert (folder / "profile.toml").is_file()


def test_a_seed_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["project", "start", "--seed", "two words"]) == 2
    assert "a seed has 1 to 64 letters" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_there_are_five_faults_at_three_places_or_more() -> None:
    counts = {fault: sum(site.fault == fault for site in SITES) for fault in faults_of(SITES)}
    assert len(counts) == 5
    assert min(counts.values()) >= 3


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site.fault}-{site.name}")
def test_each_site_changes_the_sound_trainer(site: object) -> None:
    text = with_fault(sound_trainer(UNIT), site)  # type: ignore[arg-type]
    ast.parse(text)
    assert text != sound_trainer(UNIT)


def test_an_edit_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(CourseError, match="0 times"):
        with_fault("something else", SITES[0])


def test_the_project_is_the_last_unit() -> None:
    assert list(UNITS)[-1] == UNIT.id


def test_the_solved_trainer_is_the_sound_one() -> None:
    solved = CONTENT.solutions / UNIT.folder
    assert (solved / "trainer.py").read_text(encoding="utf-8") == sound_trainer(UNIT)
    adapter = UNIT.hidden / "start" / "adapter_mlp.py"
    assert (solved / "adapter.py").read_bytes() == adapter.read_bytes()
