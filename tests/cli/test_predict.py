from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from grader.predictions.chain import MEASUREMENT
from grader.predictions.ledger import Ledger
from tests.cli.conftest import Grade


def fill(work: Path, text: str) -> None:
    (work / "u91_toy" / "prediction.toml").write_text(text)


def entries(work: Path) -> list[dict[str, object]]:
    text = (work / ".grade" / "ledger.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_sheet_is_sealed_and_the_short_hash_shown(grade: Grade, work: Path) -> None:
    fill(work, "elements = 12\n")
    ran = grade("predict", "9.1")
    assert ran.status == 0
    (entry,) = entries(work)
    assert f"sealed {str(entry['hash'])[:12]}, 1 prediction" in ran.out
    assert "next: fill in the stages, then `grade unit 9.1` measures" in ran.out


def test_sealing_the_same_again_adds_nothing(grade: Grade, work: Path) -> None:
    fill(work, "elements = 12\n")
    grade("predict", "9.1")
    assert "already sealed" in grade("predict", "9.1").out
    assert len(entries(work)) == 1


def test_exactly_the_sheet_is_committed(grade: Grade, work: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    fill(work, "elements = 12\n")
    assert "committed" in grade("predict", "9.1").out
    shown = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "HEAD"],
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.split() == ["u91_toy/prediction.toml"]


def test_outside_a_repository_the_seal_stands_with_a_note(grade: Grade, work: Path) -> None:
    fill(work, "elements = 12\n")
    ran = grade("predict", "9.1")
    assert ran.err.startswith("note: ")
    assert ran.status == 0


def test_all_problems_come_at_once_with_their_lines_and_nothing_is_sealed(
    grade: Grade, work: Path
) -> None:
    fill(work, '# mine\nelement = 12\nelements = "nan"\n')
    ran = grade("predict", "9.1")
    assert ran.status == 2
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == [
        "u91_toy/prediction.toml:2",
        "u91_toy/prediction.toml:3",
    ]
    assert not (work / ".grade" / "ledger.jsonl").exists()


def test_a_broken_ledger_is_status_3(grade: Grade, work: Path) -> None:
    fill(work, "elements = 12\n")
    (work / ".grade").mkdir()
    (work / ".grade" / "ledger.jsonl").write_text("{}\n")
    ran = grade("predict", "9.1")
    assert ran.status == 3
    assert all(line.startswith("error: ") for line in ran.err.splitlines())


def test_the_workspace_is_found_from_inside_a_unit(
    grade: Grade, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(work, "elements = 12\n")
    monkeypatch.chdir(work / "u91_toy")
    assert grade("predict", "9.1").status == 0
    assert len(entries(work)) == 1


def test_another_folder_can_be_named(
    grade: Grade, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(work, "elements = 12\n")
    monkeypatch.chdir(tmp_path)
    assert grade("predict", "9.1", "--submission", "work").status == 0
    assert len(entries(work)) == 1


def test_an_unknown_unit_suggests_the_nearest(grade: Grade, work: Path) -> None:
    ran = grade("predict", "9.11")
    assert ran.status == 2
    assert "did you mean 9.1?" in ran.err


def test_a_seal_after_the_measurement_says_that_it_comes_too_late(grade: Grade, work: Path) -> None:
    fill(work, "elements = 11\n")
    grade("predict", "9.1")
    sealed = str(entries(work)[0]["sheet"])
    Ledger(work / ".grade" / "ledger.jsonl").append(MEASUREMENT, "9.1", sealed, {"fields": {}})
    assert "holds it against the measurement" in grade("predict", "9.1").out
    fill(work, "elements = 12\n")
    ran = grade("predict", "9.1")
    assert ran.status == 1
    assert "late: this sheet was sealed at" in ran.err
    assert "next:" not in ran.out
