from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import grader.cli.workspace as workspace_module
from grader.course.content import Content
from grader.course.unit import Unit
from tests.cli.conftest import Grade

pytestmark = pytest.mark.usefixtures("course")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def test_a_workspace_has_lessons_stubs_and_sheets_and_nothing_hidden(
    grade: Grade, tmp_path: Path
) -> None:
    ran = grade("start", str(tmp_path / "mine"))
    assert (ran.status, ran.err) == (0, "")
    names = ("README.md", "numpy_stage.py", "torch_stage.py", "prediction.toml", "selftest.toml")
    assert files(tmp_path / "mine") == {".gitignore", *(f"u91_toy/{name}" for name in names)}


def test_the_next_commands_are_named(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [line.strip() for line in grade("start", "my work").out.splitlines()]
    assert lines[lines.index("next:") + 1 :][:3] == [
        "cd 'my work'",
        "grade predict 9.1",
        "grade unit 9.1",
    ]


@needs_git
def test_the_workspace_is_under_git_with_everything_committed(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    grade("start", str(tmp_path / "mine"))
    monkeypatch.delenv("GIT_DIR")
    assert git(tmp_path / "mine", "log", "--format=%s") == "Start the course"
    assert git(tmp_path / "mine", "status", "--porcelain") == ""
    assert not (tmp_path / "elsewhere").exists()


@needs_git
def test_a_person_without_identity_gets_a_first_commit_too(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    ran = grade("start", str(tmp_path / "mine"))
    assert ran.err == ""
    assert git(tmp_path / "mine", "rev-list", "--count", "HEAD") == "1"


@needs_git
def test_the_ledger_can_be_committed_and_reports_cannot(grade: Grade, tmp_path: Path) -> None:
    grade("start", str(tmp_path / "mine"))
    for name in ("ledger.jsonl", "ledger.jsonl.head", "ledger.jsonl.lock", "reports/9.1.json"):
        path = tmp_path / "mine" / ".grade" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    seen = git(tmp_path / "mine", "status", "--porcelain", "--untracked-files=all")
    assert {line[3:] for line in seen.splitlines()} == {
        ".grade/ledger.jsonl",
        ".grade/ledger.jsonl.head",
    }


def test_without_git_there_is_a_workspace_and_a_note(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_module.shutil, "which", lambda name: None)
    ran = grade("start", str(tmp_path / "mine"))
    assert ran.status == 0
    assert ran.err.startswith("note: git is not installed")
    assert "u91_toy/numpy_stage.py" in files(tmp_path / "mine")


def test_an_empty_folder_will_do(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert grade("start", ".").status == 0
    assert "u91_toy/numpy_stage.py" in files(tmp_path)


def test_a_folder_with_anything_in_it_is_refused_and_left_alone(
    grade: Grade, tmp_path: Path
) -> None:
    (tmp_path / "u91_toy").mkdir()
    (tmp_path / "u91_toy" / "numpy_stage.py").write_text("my work")
    ran = grade("start", str(tmp_path))
    assert ran.status == 2
    assert "is not empty" in ran.err
    assert files(tmp_path) == {"u91_toy/numpy_stage.py"}
    assert (tmp_path / "u91_toy" / "numpy_stage.py").read_text() == "my work"


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_is_refused(grade: Grade, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "mine"
    target.write_text("x") if kind == "file" else target.symlink_to(tmp_path / "gone")
    ran = grade("start", str(target))
    assert ran.status == 2
    assert "this is not a folder" in ran.err


def test_a_start_that_fails_half_way_leaves_nothing(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(workspace_module.shutil, "copyfile", full)
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        ran = grade("start", str(tmp_path / name))
        assert ran.status == 3
        assert "the disk is full" in ran.err
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_files_of_a_read_only_installation_can_be_edited(
    grade: Grade, course: tuple[Content, Unit], tmp_path: Path
) -> None:
    original = course[0].exercises / "u91_toy" / "numpy_stage.py"
    original.chmod(0o444)
    try:
        grade("start", str(tmp_path / "mine"))
    finally:
        original.chmod(0o644)
    assert (tmp_path / "mine" / "u91_toy" / "numpy_stage.py").stat().st_mode & 0o200
