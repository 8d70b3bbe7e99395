"""What the grader costs, as ratios within one run, printed as JSON.

Every figure is held against something measured beside it on the same machine: a bare interpreter,
an import of torch, or a process that makes the same calls without checking anything.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from grader.checks.session import run_checks
from grader.checks.subject import Bench, Subject
from grader.course.catalog import units
from grader.course.content import Content, installed_content
from grader.course.unit import Unit
from grader.grading import open_sandbox
from grader.sandbox.answer import Answer
from grader.submission.folder import read_submission

PYTHON = sys.executable
PEAK = "open('/proc/self/status').read().split('VmHWM:')[1].split()[0]"


def cost(command: Sequence[str], cwd: Path | None = None) -> dict[str, float]:
    """Run a command; return its wall time and the processor time of all its processes [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=False)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": used}


def median_cost(command: Sequence[str], runs: int) -> dict[str, float]:
    """Return the medians of several runs."""
    found = [cost(command) for _ in range(runs)]
    return {key: statistics.median(run[key] for run in found) for key in ("wall", "cpu")}


def listing() -> dict[str, float]:
    """`grade list` against an interpreter that does nothing."""
    empty = median_cost([PYTHON, "-c", "pass"], 9)["wall"]
    listed = median_cost([PYTHON, "-m", "grader", "list"], 9)["wall"]
    return {
        "python -c pass, wall [s]": empty,
        "grade list, wall [s]": listed,
        "allowed, wall [s]": 5 * empty + 0.2,
        "within": listed <= 5 * empty + 0.2,
    }


def check_cost(unit: Unit, content: Content, repeats: int = 50) -> dict[str, Any]:
    """A worker's start, confinement, import of the stage and one round trip, against torch."""
    imported = median_cost([PYTHON, "-c", "import torch"], 3)
    result: dict[str, Any] = {"import torch, wall [s]": imported["wall"]}
    with open_sandbox(unit, content) as sandbox:
        for flavor in ("numpy", "torch"):
            stage = content.solutions / unit.folder / f"{flavor}_stage.py"
            walls = []
            for _ in range(repeats + 1):
                started = time.monotonic()
                with sandbox.worker(flavor, stage=stage, probes=None) as worker:
                    worker.call("$call", {"function": "__no_such__", "args": [], "kwargs": {}})
                walls.append(time.monotonic() - started)
            own = statistics.median(walls[1:])
            result[f"{flavor} check, median wall [s]"] = own
            result[f"{flavor} check, share of the import"] = own / imported["wall"]
        result["level"] = sandbox.level
    return result


def record_calls(unit: Unit, content: Content, target: Path) -> int:
    """Grade the solution once and write down every call that the student's side received."""
    calls: list[tuple[str, str, Any]] = []
    original = Subject._attempt

    def attempt(self: Subject, stage: str, probe: str, case: Any, limits: Any) -> Answer:
        if self._name == "student":
            calls.append((stage, probe, dict(case)))
        return original(self, stage, probe, case, limits)

    submission = read_submission(content.solutions, unit)
    with patch.object(Subject, "_attempt", attempt), open_sandbox(unit, content) as sandbox:
        bench = Bench(unit, sandbox)
        run_checks(bench, submission, content.solutions, "bench")
    record = {
        "calls": calls,
        "solved": content.solutions / unit.folder,
        "exercises": content.exercises,
        "probes": bench.unit.probes,
    }
    target.write_bytes(pickle.dumps(record))
    return len(calls)


def grading(unit: Unit, content: Content) -> dict[str, Any]:
    """`grade unit` on the solution against a process that makes the same calls once."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        record = Path(folder, "calls.pickle")
        count = record_calls(unit, content, record)
        graded, bare = [], []
        words = ["unit", unit.id, "--json", "--submission", str(content.solutions)]
        for number in range(3):
            cwd = Path(folder, str(number))
            cwd.mkdir()
            graded.append(cost([PYTHON, "-m", "grader", *words], cwd))
            bare.append(cost([PYTHON, "-m", "benchmarks.bare", str(record)]))
        code = f"import grader.cli as c\ntry:\n c.main({words!r})\nfinally:\n print({PEAK})"
        run = subprocess.run(
            [PYTHON, "-c", code], cwd=folder, capture_output=True, text=True, check=False
        )
        peak = int(run.stdout.split()[-1]) / 1024
    ratios = [mine["cpu"] / theirs["cpu"] for mine, theirs in zip(graded, bare, strict=True)]
    return {
        "calls": count,
        "grade unit, median cpu [s]": statistics.median(run["cpu"] for run in graded),
        "same calls without checking, median cpu [s]": statistics.median(r["cpu"] for r in bare),
        "cpu ratio, median of pairs": statistics.median(ratios),
        "allowed": 3.0,
        "driver peak [MiB]": peak,
        "driver peak allowed [MiB]": 150,
        "grade unit, median wall [s]": statistics.median(run["wall"] for run in graded),
    }


@click.command()
def main() -> None:
    """Measure and print JSON."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    content = installed_content()
    known = units(content)
    result: dict[str, Any] = {"grade list": listing()}
    result["a check's own cost"] = check_cost(known[-1], content)
    for unit in known:
        click.echo(f"grading {unit.id} …", err=True)
        result[f"unit {unit.id}"] = grading(unit, content)
    click.echo(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
