from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.course.content import Content
from grader.course.unit import Unit
from grader.report.write import schema_problems
from tests.cli.conftest import Grade

ROOT = Path(__file__).parents[2]
ADDS_ONE = "def double(x):\n    print('[bold]\\x1b[31mhello[/bold]')\n    return x + 1\n"


def test_a_real_grade_from_the_stub_to_the_report(
    grade: Grade, work: Path, course: tuple[Content, Unit]
) -> None:
    (work / "u91_toy" / "numpy_stage.py").write_text(ADDS_ONE)
    (work / "u91_toy" / "prediction.toml").write_text("elements = 11\n")
    assert grade("predict", "9.1").status == 0
    ran = grade("unit", "9.1", "--seed", "7f3a", "--hints", "2")
    words = " ".join(ran.out.split())
    assert ran.status == 1
    assert "not met 9.1.a Twice a number is the number added to itself." in words
    assert "This is what adding one gives." in words
    assert "| [bold]hello[/bold]" in words
    assert "hint 2 of 3: Add it to itself." in words
    assert "not attempted 9.1.b Sum a tensor" in words
    assert "elements 11 measured 12 +1 not explained" in words
    assert "prediction pass timing none next: 9.1.b, about 5 minutes" in words
    report = json.loads((work / ".grade" / "reports" / "9.1.json").read_text())
    assert not schema_problems(report, course[0].rubric / "schema" / "report-1.json")
    assert report["seed"] == "7f3a"
    assert "0 of 2 tasks done" in grade("list").out


def test_a_disk_that_fills_up_at_the_report_is_one_line(
    grade: Grade, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    ran = grade("unit", "9.1", "--task", "a")
    assert ran.status == 3
    assert ran.err.endswith(": the disk is full; free some space and grade again\n")
    assert len(ran.err.splitlines()) == 1


def listen_to_ctrl_c() -> None:
    """Undo what a shell does to the processes it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_ctrl_c_keeps_a_partial_report(work: Path, toy_course: tuple[Content, Unit]) -> None:
    (work / "u91_toy" / "numpy_stage.py").write_text(
        "import time\ndef double(x):\n    time.sleep(15)\n"
    )
    code = (
        "import grader.course.content as c, pathlib, sys; from grader.cli import main\n"
        "c._PACKAGE = pathlib.Path(sys.argv[1]); main(['unit', '9.1'])"
    )
    package = toy_course[0].exercises.parent / "grader"
    running = subprocess.Popen(
        [sys.executable, "-u", "-c", code, str(package)],
        cwd=work,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509 - this process has one thread
    )
    assert running.stdout is not None
    seen = ""
    while "seed" not in seen and running.poll() is None:
        seen += running.stdout.readline()
    time.sleep(2.0)  # until the check is asleep in its worker
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "interrupted: this report is partial" in out
    report = json.loads((work / ".grade" / "reports" / "9.1.json").read_text())
    assert report["interrupted"] is True
