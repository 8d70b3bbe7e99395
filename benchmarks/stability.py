"""Grade the same submission again and again, idle and under load: the rows must be equal.

Each run starts from nothing: a fresh folder, fresh seeds of the drawn cases, a fresh measurement.
Prints JSON; the exit status is 1 when two runs disagree.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from benchmarks.busy import busy_cores
from grader.course.catalog import find_unit, units
from grader.course.content import installed_content


def grade_once(unit: str, submission: Path) -> dict[str, Any]:
    """Grade in a fresh folder and return the rows, statuses and what was not met."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stability-") as folder:
        command = [sys.executable, "-m", "grader", "unit", unit, "--json"]
        command += ["--submission", str(submission)]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not run.stdout.strip():
        return {"rows": {"no report": run.stderr[-500:]}, "status": run.returncode, "odd": []}
    report = json.loads(run.stdout)
    return {
        "rows": {row["id"]: f"{row['level']}/{row['at_most']}" for row in report["rows"]},
        "odd": sorted(
            f"{check['id']}: {check['status']}"
            for check in report["checks"]
            if check["status"] not in ("met", "skipped")
        ),
        "status": run.returncode,
        "seconds": round(time.monotonic() - started, 1),
    }


def repeat(unit: str, submission: Path, runs: int, *, busy: bool) -> list[dict[str, Any]]:
    """Grade `runs` times, with every processor kept busy or not."""
    found = []
    with busy_cores() if busy else nullcontext():
        for number in range(runs):
            found.append(grade_once(unit, submission))
            state = "busy" if busy else "idle"
            click.echo(f"{unit} {state} {number + 1}/{runs} {json.dumps(found[-1])}", err=True)
    return found


@click.command()
@click.option("--runs", default=20, show_default=True, help="Runs idle, and as many busy.")
@click.option("--unit", "names", multiple=True, help="Units to grade; all of them by default.")
@click.option(
    "--when",
    "halves",
    type=click.Choice(["idle", "busy"]),
    multiple=True,
    default=["idle", "busy"],
    help="Which half to run; both by default.",
)
@click.option("--submission", type=click.Path(path_type=Path, exists=True), default=None)
def main(
    runs: int, names: tuple[str, ...], halves: tuple[str, ...], submission: Path | None
) -> None:
    """Grade each unit 2 * RUNS times and compare the rows."""
    content = installed_content()
    known = units(content)
    chosen = [find_unit(name, known) for name in names] or list(known)
    result = {}
    for unit in chosen:
        found = []
        for half in halves:
            work = submission or content.solutions
            found += repeat(unit.id, work, runs, busy=half == "busy")
        rows = Counter(json.dumps(run["rows"], sort_keys=True) for run in found)
        result[unit.id] = {
            "runs": len(found),
            "different sets of rows": len(rows),
            "rows": dict(rows),
            "not met at least once": dict(Counter(odd for run in found for odd in run["odd"])),
            "slowest run [s]": max(run.get("seconds", 0) for run in found),
        }
    click.echo(json.dumps(result, indent=2))
    sys.exit(any(entry["different sets of rows"] != 1 for entry in result.values()))


if __name__ == "__main__":
    main()
