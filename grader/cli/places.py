"""Where a person's work lies, and where the grader keeps what it finds out about it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from grader.course.unit import Unit

STATE = ".grade"


def workspace(unit: Unit) -> Path:
    """Return the root of the work that contains the current folder.

    That is the nearest folder, from the current one upwards, that holds the unit's folder; the
    current folder if there is none, so that a message names what the person sees.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / unit.folder).is_dir():
            return folder
    return here


def own_state() -> Path:
    """Return the nearest ``.grade`` folder from the current one upwards, or where it would be."""
    here = Path.cwd()
    found = (folder / STATE for folder in (here, *here.parents) if (folder / STATE).is_dir())
    return next(found, here / STATE)


def state_of(submission: Path, *, own: bool) -> Path:
    """Return the folder for reports and measurements of a submission.

    One's own work keeps them beside it. Nothing is ever written into the work of others: theirs go
    below the current folder, under a name that two submissions never share.
    """
    if own:
        return submission / STATE
    resolved = submission.resolve()
    mark = hashlib.sha256(str(resolved).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return Path.cwd() / STATE / "submissions" / f"{resolved.name}-{mark}"


def shown(path: Path) -> str:
    """Return a path as a person would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
