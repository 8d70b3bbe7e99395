"""Whole submissions of the project: each of the five faults, with each of the two models."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.checks.evidence import Evidence
from grader.checks.session import run_checks
from grader.checks.subject import Bench
from grader.course.project import project_site, sound_trainer, start_files
from grader.course.variants import faults_of, read_sites
from grader.sandbox.client import Sandbox
from grader.submission.folder import read_submission
from tests.units.course import CONTENT, UNITS

UNIT = UNITS["mini-project"]
ANSWERS = Path(__file__).parent / "answers"
FAULTS = faults_of(read_sites(UNIT.hidden / "faults.toml"))
MODELS = ("mlp", "transformer")

_ACCEPTED = {
    "scaler": "zero_gradients",
    "clip": "gradient_ratio",
    "sync": "host_syncs",
    "break": "graph_breaks",
    "checkpoint": "resume_difference",
}
_THRESHOLDS = {"scaler": 0.3, "clip": 100.0, "sync": 0.5, "break": 0.5, "checkpoint": 0.5}
_SHEETS = {
    "mlp": {
        "parameter_bytes": "52520 B", "gradient_bytes": "52520 B", "optimizer_bytes": "105072 B",
        "activation_bytes": "387268 B", "slowest_phase": "backward",
    },
    "transformer": {
        "parameter_bytes": "28136 B", "gradient_bytes": "28136 B", "optimizer_bytes": "56396 B",
        "activation_bytes": "393732 B", "slowest_phase": "forward",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Work:
    """A submission on the disk.

    Attributes:
        root: What is handed in.
        folder: The project's folder in it.
        seed: The project's seed.
    """

    root: Path
    folder: Path
    seed: str


def seed_for(fault: str, model: str) -> str:
    """Return the first of some seeds that stands for a fault."""
    seeds = (f"s{number}" for number in range(1000))
    return next(seed for seed in seeds if project_site(UNIT, seed, model).fault == fault)


def started(root: Path, fault: str, model: str) -> Work:
    """Lay out a project as it is at the start, with the stub and the blank files."""
    seed = seed_for(fault, model)
    folder = root / UNIT.folder
    shutil.copytree(UNIT.path, folder, ignore=shutil.ignore_patterns("hidden", "unit.toml"))
    for name, text in start_files(UNIT, seed, model).items():
        (folder / name).write_text(text, encoding="utf-8")
    return Work(root, folder, seed)


def solved(root: Path, fault: str, model: str, sandbox: Sandbox) -> Work:
    """Solve a project: the fault repaired, everything measured and written down."""
    work = started(root, fault, model)
    faulty = (work.folder / "trainer.py").read_text(encoding="utf-8")
    sound = sound_trainer(UNIT)
    (work.folder / "trainer.py").write_text(sound, encoding="utf-8")
    solution = CONTENT.solutions / UNIT.folder
    stage = (solution / "torch_stage.py").read_text(encoding="utf-8")
    answer = (ANSWERS / f"{fault}.py").read_text(encoding="utf-8")
    (work.folder / "torch_stage.py").write_text(f"{stage}\n\n{answer}", encoding="utf-8")
    sheet = _SHEETS[model]
    write(work, "prediction.toml", sheet)
    profile = (solution / "profile.toml").read_text(encoding="utf-8")
    if sheet["slowest_phase"] == "forward":
        profile = profile.replace('slowest = "backward"', 'slowest = "forward"')
        profile = profile.replace("forward = 0.0021", "forward = 0.0051")
    (work.folder / "profile.toml").write_text(profile, encoding="utf-8")
    for name in ("optimization.toml", "selfgrade.toml"):
        shutil.copy(solution / name, work.folder)
    _write_postmortem(work, fault, faulty, sound, sandbox)
    return work


def copied(work: Work, root: Path) -> Work:
    """Return a copy of a submission that may be changed."""
    shutil.copytree(work.root, root)
    return Work(root, root / UNIT.folder, work.seed)


def write(work: Work, name: str, data: dict[str, Any]) -> None:
    """Write a flat TOML file; JSON's texts and numbers are TOML's."""
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in data.items())
    (work.folder / name).write_text(lines, encoding="utf-8")


def _write_postmortem(work: Work, fault: str, faulty: str, sound: str, sandbox: Sandbox) -> None:
    """Measure what the post-mortem states, as a student would, and write it down."""
    bench = Bench(UNIT, sandbox)
    programs = {"faulty": faulty, "sound": sound}
    with sandbox.worker(
        "torch", stage=work.folder / "torch_stage.py", probes=bench.unit.probes
    ) as worker:
        look = ["step", "resume", "graphs"]
        rows = worker.call("measured", {"programs": programs, "seed": 0, "look": look}).value
        numbers = worker.call("discriminated", {"programs": programs}).value
    row = {**rows["faulty"], "graph_breaks": float(bool(rows["faulty"]["break"]))}
    rejected = "clip" if fault in ("sync", "break") else "sync"
    because = "Whatever the fault were, this number would be another, and it is not."
    hypotheses = "".join(
        f'[[hypothesis]]\nfault = "{name}"\nverdict = "{verdict}"\n'
        f'measurement = "{_ACCEPTED[name]}"\nnumber = {float(row[_ACCEPTED[name]])}\n'
        f'because = "{because}"\n'
        for name, verdict in ((fault, "accepted"), (rejected, "rejected"))
    )
    (work.folder / "postmortem.toml").write_text(
        f'fault = "{fault}"\nthreshold = {_THRESHOLDS[fault]}\n'
        f'[measurement]\nwhat = "what the docstring of discriminate says it measures"\n'
        f"faulty = {float(numbers['faulty'])}\nrepaired = {float(numbers['sound'])}\n"
        f'{hypotheses}[repair]\nwhat = "the edit of its site was taken back"\n'
        f'[guard]\nwhat = "the fault would have to come back anywhere"\n',
        encoding="utf-8",
    )


def checked(work: Work, bench: Bench, *letters: str, seed: str = "kept") -> list[Evidence]:
    """Run the checks of some tasks on a submission; all of them without letters."""
    tasks = frozenset(f"{UNIT.id}.{letter}" for letter in letters) or None
    submission = read_submission(work.root, UNIT)
    run = run_checks(bench, submission, CONTENT.solutions, seed, tasks=tasks)
    assert not run.broken
    return list(run.evidence)


def said(evidence: list[Evidence]) -> str:
    """Return what was told, for a look at it."""
    return "\n".join(f"{found.check} {found.status}: {found.message}" for found in evidence)
