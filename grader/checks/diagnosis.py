"""Which known mistake a wrong result is: run the same check on each and compare what they give."""

from __future__ import annotations

import inspect
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grader.checks.compare import Tolerance, difference
from grader.checks.draw import Draw
from grader.checks.expect import Expect
from grader.checks.handed import WHAT, HandedIn
from grader.checks.marks import CheckMark
from grader.checks.outcomes import Finding, Outcome, Unmet
from grader.checks.reference import Reference
from grader.checks.subject import Bench, Subject
from grader.course.faults import Fault, write_stages
from grader.submission.folder import Submission

_SAME = Tolerance(rtol=1e-9, atol=1e-12)
ALSO = "A known mistake that ends like this too: "
"""Before the sentence of a mistake when the result alone cannot prove that it is this one."""

_FEW = 100


class Diagnosis:
    """The known mistakes of a unit, ready to be held against a wrong result."""

    def __init__(
        self,
        bench: Bench,
        solutions: Path,
        faults: Sequence[Fault],
        submission: Submission,
        checks: frozenset[str] | None = None,
    ) -> None:
        """Keep the mistakes; checks that look into TOML files see those of the submission.

        Args:
            bench: A sandbox to run in.
            solutions: Folder of the solved units.
            faults: The known mistakes.
            submission: The student's files.
            checks: Ids of the checks whose findings are named; None for all.
        """
        self._bench = bench
        self._submission = submission
        self._solutions = solutions
        self._faults = faults
        self._checks = checks

    def name(
        self, function: Callable[..., Any], mark: CheckMark, seed: str, finding: Finding
    ) -> str:
        """Return the sentence of the mistake that gives this very finding, or nothing.

        Each known mistake of the check is run on the same case. It is named when it misses the
        same expectation with the same value; when two different ones do, neither is. Mistakes
        that another check is there for come second. A file that cannot be read stops every
        mistake alike, so that only a mistake in a file is named for it.
        """
        if self._checks is not None and mark.id not in self._checks:
            return ""
        able = [fault for fault in self._faults if fault.edits or finding.what != WHAT]
        own = [fault for fault in able if fault.check == mark.id]
        others = [fault for fault in able if mark.id in fault.also]
        for faults in (own, others):
            same = {
                fault.says
                for fault in faults
                if (theirs := self._known(fault, function, mark, seed)) is not None
                and _equal(theirs, finding)
            }
            if same:
                careful = "" if _telling(finding.value) else ALSO
                return careful + same.pop() if len(same) == 1 else ""
        return ""

    def _known(
        self, fault: Fault, function: Callable[..., Any], mark: CheckMark, seed: str
    ) -> Finding | None:
        """Return what a mistake gives in a check; the same case is run once for a bench."""
        place = inspect.getfile(function)
        key = (str(self._solutions), place, fault.id, mark.id, seed)
        if key not in self._bench.findings:
            self._bench.findings[key] = self._finding(fault, function, mark, seed)
        return self._bench.findings[key]

    def _handed_in(self, fault: Fault, spoiled: Path) -> HandedIn:
        """Return the submission's files, or the solution's where the mistake is in one of them."""
        if not fault.edits:
            return HandedIn(self._submission.files)
        names = [name for name in self._bench.unit.files if (spoiled / name).is_file()]
        return HandedIn({name: (spoiled / name).read_bytes() for name in names})

    def _finding(
        self, fault: Fault, function: Callable[..., Any], mark: CheckMark, seed: str
    ) -> Finding | None:
        stage = self._bench.unit.stage_of(mark.task)
        with tempfile.TemporaryDirectory(prefix="known-") as folder:
            spoiled, solved = Path(folder, "spoiled"), Path(folder, "solved")
            write_stages(self._bench.unit, self._solutions, spoiled, fault)
            write_stages(self._bench.unit, self._solutions, solved)
            with (
                Subject(self._bench, spoiled, stage, mark.device, "known mistake") as student,
                Reference(self._bench, solved, stage, mark.device) as reference,
            ):
                fixtures = {
                    "student": student,
                    "reference": reference,
                    "draw": Draw(seed, mark.id),
                    "expect": Expect(),
                    "handed_in": self._handed_in(fault, spoiled),
                }
                wanted = inspect.signature(function).parameters
                if not set(wanted) <= set(fixtures):
                    return None
                try:
                    function(**{name: fixtures[name] for name in wanted})
                except Unmet as unmet:
                    return unmet.finding
                except Outcome:
                    return None
        return None


def _telling(value: Any) -> bool:
    """Whether a value is so special that two mistakes will hardly share it by chance."""
    if isinstance(value, Mapping):
        return any(_telling(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_telling(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.size > 1 and value.dtype.kind not in "b"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return False
    try:
        number = float(value)
    except OverflowError:  # an integer beyond what a float can hold is special enough
        return True
    return math.isfinite(number) and (number != int(number) or abs(number) > _FEW)


def _equal(theirs: Finding, mine: Finding) -> bool:
    """Whether two findings miss the same expectation with the same value."""
    if theirs.order != mine.order or theirs.what != mine.what:
        return False
    if theirs.value is None and mine.value is None:
        return theirs.message == mine.message
    return difference(mine.value, theirs.value, _SAME) is None
