"""Where the course's content lies: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Content:
    """The folders of one course.

    Attributes:
        exercises: What students receive, with the hidden checks beside it.
        solutions: One folder a unit: solved stages, filled sheets, faults.
        rubric: The five rows and the JSON Schemas.
    """

    exercises: Path
    solutions: Path
    rubric: Path

    @classmethod
    def at(cls, root: Path) -> Content:
        """Return the content whose three folders lie directly in `root`."""
        return cls(root / "exercises", root / "solutions", root / "rubric")

    @property
    def compact(self) -> Path:
        """The compact model, data and trainer that the units share."""
        return self.exercises / "compact"

    def hidden_folders(self) -> tuple[Path, ...]:
        """Folders that no worker may read: the solutions and every unit's hidden checks."""
        return (self.solutions, *sorted(self.exercises.glob("*/hidden")))


@cache
def installed_content() -> Content:
    """Return the content that this installation of the grader came with."""
    checkout = _PACKAGE.parent
    inside = _PACKAGE / "_content"
    return Content.at(inside if inside.is_dir() else checkout)
