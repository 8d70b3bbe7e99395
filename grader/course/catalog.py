"""The units that exist, and finding one by what a person typed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from grader.course.content import Content
from grader.course.unit import Unit, load_unit
from grader.errors import UsageError


def units(content: Content) -> tuple[Unit, ...]:
    """Return the units of `content`, in the order of their folders' names, projects last."""
    folders = sorted(path.parent for path in content.exercises.glob("*/unit.toml"))
    return tuple(sorted(map(load_unit, folders), key=lambda unit: bool(unit.files)))


def find_unit(name: str, known: Sequence[Unit]) -> Unit:
    """Return the unit a person means by `name`, its id or its folder's name.

    Raises:
        UsageError: if there is no such unit; names the nearest one.
    """
    wanted = name.strip().lower()
    for unit in known:
        if wanted in (unit.id.lower(), unit.folder.lower()):
            return unit
    names = [unit.id for unit in known] + [unit.folder for unit in known]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else "`grade list` shows the units"
    raise UsageError(f"there is no unit {name!r}; {hint}")
