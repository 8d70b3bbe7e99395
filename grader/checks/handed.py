"""The `handed_in` fixture: TOML files of a submission as data, with all their problems at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from grader.checks.outcomes import Finding, NotAttempted, Unmet
from grader.errors import Problem, SheetError
from grader.predictions.tomlfile import TomlFile, toml_of

WHAT = "a file that was handed in"
"""What a finding about the form of such a file is of."""


class HandedIn:
    """What somebody handed in beside the stages. It is data: nothing in it is run."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Keep the content of each file by its name."""
        self._files = files

    def __contains__(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._files

    def text(self, name: str) -> str:
        """Return a file as text, whatever is in it; empty if there is none."""
        return self._files.get(name, b"").decode("utf-8", "replace")

    def toml(self, name: str, todo: str = "") -> TomlFile:
        """Return a TOML file whose syntax is sound.

        Args:
            name: Its name.
            todo: What to do if it is not there.

        Raises:
            NotAttempted: if there is no such file.
            Unmet: with everything that is wrong with its syntax.
        """
        if name not in self._files:
            raise NotAttempted(str(Problem(name, "there is no such file", todo)))
        try:
            file = toml_of(self._files[name], name)
        except SheetError as error:
            refuse(error.problems)
        if file.problems:
            refuse(file.problems)
        return file


def refuse(problems: tuple[Problem, ...] | list[Problem], got: Any = None) -> NoReturn:
    """End the check with everything that is wrong with a file."""
    message = "\n".join(str(problem) for problem in problems)
    raise Unmet(Finding(WHAT, message, value=got))
