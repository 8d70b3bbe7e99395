"""What a student gets at the start of the project: it follows from a seed and a kind of model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from grader.course.unit import Unit
from grader.course.variants import FAULTS_FILE, Site, chosen_site, read_sites, with_fault
from grader.errors import CourseError, Problem

MODELS = ("mlp", "transformer", "own")
PROJECT_FILE, TRAINER_FILE, ADAPTER_FILE = "project.toml", "trainer.py", "adapter.py"
START = "start"

_SEED = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_DROPOUT = "dropout"


def seed_fault(seed: Any) -> str:
    """Return what is wrong with a seed; empty if it is one."""
    if isinstance(seed, str) and _SEED.fullmatch(seed):
        return ""
    return "a seed has 1 to 64 letters, digits, dots, dashes or underscores"


def project_site(unit: Unit, seed: str, model: str) -> Site:
    """Return the site of the fault that a seed stands for; own models may have no dropout."""
    has = () if model == "own" else (_DROPOUT,)
    return chosen_site(seed, read_sites(unit.hidden / FAULTS_FILE), has)


def project_mark(unit: Unit, seed: str, model: str) -> str:
    """Return what a seed and a model stand for, as a few characters that tell no fault."""
    site = project_site(unit, seed, model)
    text = "\0".join((seed, model, site.fault, site.name))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def sound_trainer(unit: Unit) -> str:
    """Return the text of the trainer without a fault."""
    return (unit.hidden / START / TRAINER_FILE).read_text(encoding="utf-8")


def start_files(unit: Unit, seed: str, model: str) -> dict[str, str]:
    """Return the files of a new project by their names.

    Args:
        unit: The project's unit.
        seed: A seed that `seed_fault` has nothing to say about.
        model: One of `MODELS`.
    """
    adapter = unit.hidden / START / f"adapter_{model}.py"
    return {
        TRAINER_FILE: with_fault(sound_trainer(unit), project_site(unit, seed, model)),
        ADAPTER_FILE: adapter.read_text(encoding="utf-8"),
        PROJECT_FILE: (
            "# Written by `grade project start`. Leave it: the checks start from it too.\n"
            f'seed = "{seed}"\nmodel = "{model}"\nmark = "{project_mark(unit, seed, model)}"\n'
        ),
    }


def project_of(unit: Unit, data: Mapping[str, Any]) -> tuple[str, str]:
    """Return seed and model that a `project.toml` names.

    Raises:
        CourseError: with everything that is wrong with it.
    """
    problems = []
    seed, model = data.get("seed"), data.get("model")
    if seen := seed_fault(seed):
        problems.append(Problem(PROJECT_FILE, f"`seed` is {seed!r:.80}", seen))
    if model not in MODELS:
        todo = f"it is one of {', '.join(MODELS)}, as `grade project start` wrote it"
        problems.append(Problem(PROJECT_FILE, f"`model` is {model!r:.80}", todo))
    if not problems and data.get("mark") != project_mark(unit, str(seed), str(model)):
        seen = f"it no longer fits: `mark` is not that of the seed {seed} with the model {model}"
        todo = "put it back as `grade project start` wrote it"
        problems.append(Problem(PROJECT_FILE, seen, todo))
    if problems:
        raise CourseError(problems)
    return str(seed), str(model)
