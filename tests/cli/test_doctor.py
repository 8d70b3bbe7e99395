from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.cli import doctor
from grader.cli.machine import TorchAnswer, equal_run_spread, program_version, torch_answer
from grader.sandbox import levels
from tests.cli.conftest import Grade


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which everything is there, asked without loading torch."""
    monkeypatch.setattr(doctor, "torch_answer", lambda: TorchAnswer("2.13", 1.5, ("cuda:0 T4",)))
    monkeypatch.setattr(doctor, "program_version", lambda name: f"{name} 1.0")
    monkeypatch.setattr(doctor, "noise_words", lambda: ("quiet", ""))
    monkeypatch.setattr(levels, "best", lambda: levels.HIGHEST)


@pytest.mark.usefixtures("healthy")
def test_a_healthy_machine_is_described(grade: Grade) -> None:
    ran = grade("doctor")
    words = " ".join(ran.out.split())
    assert ran.status == 0
    assert "torch 2.13, imported in 1.5 s" in words
    assert "cuda:0 T4" in words
    for name in ("python", "numpy", "compiler", "git", "strace", "confinement", "clock", "noise"):
        assert f"\n  {name} " in ran.out


@pytest.mark.usefixtures("healthy")
def test_the_driver_stays_free_of_torch(grade: Grade) -> None:
    loaded = set(sys.modules)
    grade("doctor")
    assert "torch" not in set(sys.modules) - loaded


@pytest.mark.usefixtures("healthy")
def test_what_is_missing_for_the_next_level_is_said(
    grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "best", lambda: 1)
    monkeypatch.setattr(levels, "missing", lambda level: (f"no namespaces for {level}",))
    ran = grade("doctor")
    assert ran.status == 0
    assert "for level 2: no namespaces for 2" in " ".join(ran.out.split())


@pytest.mark.usefixtures("healthy")
def test_missing_programs_are_said_with_what_follows(
    grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "program_version", lambda name: "")
    ran = grade("doctor")
    words = " ".join(ran.out.split())
    assert ran.status == 0
    assert "compiler none found: unit 8.8" in words
    assert "git not found: seals are recorded, not committed" in words


@pytest.mark.usefixtures("healthy")
def test_a_torch_that_cannot_be_imported_is_status_1(
    grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "torch_answer", lambda: TorchAnswer(problem="no libgomp"))
    ran = grade("doctor")
    assert ran.status == 1
    assert "cannot be imported: no libgomp" in " ".join(ran.out.split())


def fake_torch(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "torch.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_torch_is_asked_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import sys
print("USDT: noise")
__version__ = "9.9"
class cuda:
    device_count = staticmethod(lambda: 1)
    get_device_name = staticmethod(lambda i: "Toy")
class backends:
    class mps:
        is_available = staticmethod(lambda: False)
"""
    fake_torch(tmp_path, text, monkeypatch)
    answer = torch_answer()
    assert (answer.version, answer.devices, answer.problem) == ("9.9", ("cuda:0 Toy",), "")


def test_a_torch_that_fails_gives_its_own_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_torch(tmp_path, "raise ImportError('libtorch is gone')", monkeypatch)
    assert torch_answer().problem == "ImportError: libtorch is gone"


def test_a_torch_that_dies_is_told_by_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_torch(tmp_path, "import os; os._exit(7)", monkeypatch)
    assert torch_answer().problem == "the process ended with 7"


def test_a_program_that_is_not_there_has_no_version() -> None:
    assert program_version("no-such-program-anywhere") == ""


def test_equal_runs_differ_by_a_small_number() -> None:
    assert 0.0 <= equal_run_spread(pairs=5, run=1e-4) < 100.0
