"""Stubs from solutions: what lies between region markers becomes `NotImplementedError`.

A solution marks the lines a student must write::

    def amdahl(fraction, speedup):
        '''The docstring stays: it is the specification.'''
        # region 8.9.e
        return 1 / (1 - fraction + fraction / speedup)
        # endregion

Lines between ``# region hidden`` and ``# endregion`` vanish altogether.
"""

from __future__ import annotations

import re
from pathlib import Path

from grader.course.unit import STAGES, Unit, stage_file
from grader.errors import CourseError, Problem

_REGION = re.compile(r"^(?P<indent>[ \t]*)# region (?P<name>\S+)\s*$")
_END = re.compile(r"^[ \t]*# endregion\s*$")
_HIDDEN = "hidden"


def stub_text(solution: str, where: str = "the solution") -> str:
    """Return the stub of a solved stage.

    Raises:
        CourseError: if regions are nested, unknown or not closed.
    """
    lines: list[str] = []
    opened = 0
    for number, line in enumerate(solution.splitlines(), start=1):
        region = _REGION.match(line)
        if region and opened:
            raise CourseError(Problem(f"{where}:{number}", "a region inside a region"))
        if region:
            opened = number
            if region["name"] != _HIDDEN:
                lines.append(f'{region["indent"]}raise NotImplementedError("{region["name"]}")')
        elif _END.match(line):
            if not opened:
                raise CourseError(Problem(f"{where}:{number}", "an endregion without a region"))
            opened = 0
        elif not opened:
            lines.append(line)
    if opened:
        raise CourseError(Problem(f"{where}:{opened}", "this region is never closed"))
    return _squeeze("\n".join(lines)) + "\n"


def regions(solution: str) -> frozenset[str]:
    """Return the task ids whose answer a solved stage marks."""
    found = (_REGION.match(line) for line in solution.splitlines())
    return frozenset(match["name"] for match in found if match and match["name"] != _HIDDEN)


def unit_stubs(unit: Unit, solutions: Path) -> dict[Path, str]:
    """Return the stub text of each stage of `unit`, keyed by the path it belongs at."""
    stubs = {}
    for stage in STAGES:
        source = solutions / unit.folder / stage_file(stage)
        if source.is_file():
            text = source.read_text(encoding="utf-8")
            stubs[unit.path / stage_file(stage)] = stub_text(text, str(source))
    return stubs


def _squeeze(text: str) -> str:
    """Drop the third and further blank lines that a vanished region leaves."""
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n")
