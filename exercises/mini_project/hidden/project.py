"""The project of a submission: its fault, and the trainers that the checks hold against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.checks.handed import HandedIn, refuse
from grader.course.project import PROJECT_FILE, START, project_of, project_site, sound_trainer
from grader.course.unit import load_unit
from grader.course.variants import FAULTS_FILE, Site, read_sites, with_fault
from grader.errors import CourseError
from grader.sandbox.limits import Limits

UNIT = load_unit(Path(__file__).resolve().parents[1])
SOUND = sound_trainer(UNIT)
_OTHERWISE = UNIT.hidden / "otherwise"
SOUND_OTHERWISE = (_OTHERWISE / "trainer.py").read_text(encoding="utf-8")
"""A sound trainer of which no line, no name and no number is that of the one handed out."""

LONG = Limits(wall=240.0, cpu=90.0)
OTHERWISE = "in a trainer that is written otherwise"
WEIGHT, LONGEST = 2.0**-14, 0.5
"""`LOSS_WEIGHT` and `MAX_NORM` of the trainer that is handed out."""

TRUE_ERROR = 0.1
"""How far the gradients at the optimizer may be off, relative to their length.

Half precision rounds by 2**-11, and sums of many such products are off by some 1 %; without a
scaler, or clipped too early, the error is above 0.4.
"""


@dataclass(frozen=True, slots=True)
class Project:
    """What one student was given.

    Attributes:
        model: ``mlp``, ``transformer`` or ``own``.
        site: The fault and its place.
        faulty: Text of the trainer that was handed out.
        same: Texts with the same fault at all of its places, under names that do not tell which
            fault it is.
        others: Texts with the other faults, by a name for people.
        same_otherwise: Texts with the same fault in the trainer that is written otherwise.
        others_otherwise: Texts with the other faults in that one.
    """

    model: str
    site: Site
    faulty: str
    same: Mapping[str, str]
    others: Mapping[str, str]
    same_otherwise: Mapping[str, str]
    others_otherwise: Mapping[str, str]

    def first(self, fault: str) -> str:
        """Return a trainer with a fault, at the first of its places."""
        if fault == self.site.fault:
            return next(iter(self.same.values()))
        return next(text for name, text in self.others.items() if name.startswith(f"{fault} ("))


def project_in(handed_in: HandedIn) -> Project:
    """Return the project that a submission says it is, or end the check with what is wrong."""
    file = handed_in.toml(PROJECT_FILE, "`grade project start` writes it")
    try:
        seed, model = project_of(UNIT, file.data)
    except CourseError as error:
        refuse(error.problems)
    own = project_site(UNIT, seed, model)
    sites = [
        site
        for site in read_sites(UNIT.hidden / FAULTS_FILE)
        if not (model == "own" and site.needs)
    ]
    same = [with_fault(SOUND, site) for site in sites if site.fault == own.fault]
    fresh = read_sites(_OTHERWISE / FAULTS_FILE)
    written = {site: with_fault(SOUND_OTHERWISE, site) for site in fresh}
    again = [text for site, text in written.items() if site.fault == own.fault]
    return Project(
        model,
        own,
        with_fault(SOUND, own),
        {f"your fault at place {place}": text for place, text in enumerate(same, 1)},
        {told(site): with_fault(SOUND, site) for site in sites if site.fault != own.fault},
        {f"your fault {OTHERWISE}, at place {place}": text for place, text in enumerate(again, 1)},
        {
            f"{told(site)} {OTHERWISE}": text
            for site, text in written.items()
            if site.fault != own.fault
        },
    )


def adapter_of(handed_in: HandedIn) -> str | None:
    """Return the adapter that was handed out, None if the student wrote one."""
    model = project_in(handed_in).model
    if model == "own":
        return None
    return (UNIT.hidden / START / f"adapter_{model}.py").read_text(encoding="utf-8")


def told(site: Site) -> str:
    """Return a site as a person may read it."""
    return f"{site.fault} ({site.name})"


def number(value: Any) -> float | None:
    """Return a finite number as a float, None for anything else."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if not isinstance(value, bool | int | float):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if value - value == 0 else None
