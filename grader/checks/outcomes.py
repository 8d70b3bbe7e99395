"""How a check ends when it is not simply met: one exception an outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """What an expectation saw.

    Attributes:
        what: The quantity in words.
        message: One or two sentences for the student.
        expected: What was expected, as text.
        got: What the student's code gave, as text.
        unit: Unit of both.
        value: The value itself, to be held against what known mistakes give.
        order: Which expectation of the check this is, from 0.
    """

    what: str
    message: str
    expected: str = ""
    got: str = ""
    unit: str = ""
    value: Any = None
    order: int = 0


class Outcome(Exception):  # noqa: N818 - an outcome is not an error
    """Root of the ways a check can end early."""

    def __init__(self, message: str, output: str = "") -> None:
        """Keep the sentence for the student, and what their code printed."""
        super().__init__(message)
        self.message = message
        self.output = output


class Unmet(Outcome):
    """The student's code does not do what the check asks."""

    def __init__(self, finding: Finding, output: str = "") -> None:
        """Keep what was seen."""
        super().__init__(finding.message, output)
        self.finding = finding


class NotAttempted(Outcome):
    """The stub is still there."""


class Inconclusive(Outcome):
    """Measured, but the noise forbids a verdict."""


class Skipped(Outcome):
    """This machine lacks what the check needs."""


class Stopped(Outcome):
    """The student's code ran into a limit, crashed or ended the process."""


class Void(Outcome):
    """An instrument gave a wrong answer to a question whose answer is known."""


class GraderFault(Outcome):
    """The check or the reference failed; never the student's fault."""
