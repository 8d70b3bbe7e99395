"""How a terminal shows a grade: checks as they come, then predictions, rows and what is next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from grader.checks.evidence import Evidence
from grader.course.unit import Task, Unit
from grader.report.clean import clean
from grader.report.judgement import comparison, first_output
from grader.report.layout import PlainConsole, flowed
from grader.report.model import check_record
from grader.report.next_step import SHEET_TASK
from grader.report.palette import BOLD, DIM, style_of
from grader.report.sections import print_ending, print_predictions, print_rows

_MARGIN = 2
_INDENT = 4
_STATUS = 13  # "not attempted", the longest status
_GAP = 2
_NARROW = 30  # with less room beside them, titles go below the statuses
_HEADINGS = {"numpy": "NumPy stage", "torch": "PyTorch stage", "": "Fresh configurations"}


class TerminalReport:
    """Prints one grade of one unit, line by line as it is found."""

    def __init__(self, console: PlainConsole, unit: Unit, hints: int = 1) -> None:
        """Print to `console`; show up to `hints` of a task's three hints."""
        self._console = console
        self._unit = unit
        self._hints = hints
        self._tasks = {task.id: task for task in unit.tasks}
        # the hints are about the task, not about a file that cannot be used
        self._files = tuple(f"{name}:" for name in unit.files)
        width = max((len(task.id) for task in unit.tasks), default=len(unit.id) + 2)
        body = _INDENT + _STATUS + _GAP + width + _GAP
        self._body = body if console.width - body >= _NARROW else _INDENT + _GAP
        sheet = f"{unit.id}.{SHEET_TASK}"
        self._fields = [[sheet, field.name] for field in unit.fields]
        self._stage: str | None = None
        self._untouched: set[str] = set()
        self._hinted: set[str] = set()
        self._said: set[str] = set()

    def header(self) -> None:
        """Print which unit this is; needs nothing but the unit, so it can come at once."""
        title = Text(clean(self._unit.title), style=BOLD)
        self._console.lines(Text(self._unit.id, style=BOLD), title, len(self._unit.id) + _GAP)

    def started(self, seed: str, versions: Mapping[str, Any], confinement: str) -> None:
        """Print under what the grade is made."""
        torch = f"torch {versions['torch']}" if versions.get("torch") else "no torch"
        facts = (f"seed {seed}", torch, "cpu, 1 thread", confinement)
        indent = len(self._unit.id) + _GAP
        items = [Text(clean(fact), style=DIM) for fact in facts if fact]
        for line in flowed(self._console, items, indent, _GAP):
            self._console.lines(Text(), line, 0)

    def evidence(self, found: Evidence) -> None:
        """Print the outcome of one check.

        A task that is not attempted gets one line, however many checks it has. What is found about
        a field of the sheet is left to the predictions at the end, which show it with its numbers.
        """
        if found.check.split("/")[:2] in self._fields:
            return
        task = self._tasks.get(found.task)
        check = check_record(found)
        status, title = check["status"], check["title"]
        untouched = status == "not attempted"
        if untouched and task:
            if task.id in self._untouched:
                return
            self._untouched.add(task.id)
            title = task.title
        self._heading(task)
        lead = Text(" " * _INDENT)
        lead.append(f"{status:<{_STATUS + _GAP}}", style=style_of(status)).append(found.task)
        body = Text(clean(title), style=DIM if untouched else "")
        self._console.lines(lead, body, self._body)
        if untouched and self._hints > 1:
            self._hint(task)
        elif status != "met" and not untouched:
            self._explain(check, task)

    def finish(self, report: Mapping[str, Any], path: str) -> None:
        """Print predictions, rows, the next step and where the report lies."""
        if report["predictions"] is not None:
            print_predictions(self._console, report["predictions"])
        print_rows(self._console, report["rows"])
        print_ending(self._console, report, path)

    def _heading(self, task: Task | None) -> None:
        stage = task.stage if task else ""
        if stage != self._stage:
            self._stage = stage
            self._console.print()
            self._console.lines(Text(" " * _MARGIN), Text(_HEADINGS.get(stage, stage)), _MARGIN)

    def _explain(self, check: Mapping[str, Any], task: Task | None) -> None:
        """Print what is behind a check that is not met."""
        seen = comparison(check)
        if seen.said in self._said and seen.said and not (seen.expected or seen.got):
            self._under(Text("for the same reason", style=DIM))
            return
        self._said.add(seen.said)
        if seen.said:
            self._under(Text(seen.said))
        self._values(seen.expected, seen.got, seen.gap)
        if check["mistake"]:
            self._under(Text(clean(check["mistake"])))
        self._output(check["output"])
        of_a_file = clean(check["message"]).startswith(self._files)
        if check["status"] in ("not met", "stopped") and not of_a_file:
            self._hint(task)

    def _values(self, expected: str, got: str, gap: str) -> None:
        """Print expected and got side by side if the width allows, one above the other if not."""
        named = [(name, value) for name, value in (("expected", expected), ("got", got)) if value]
        words = [f"{name} {value}" for name, value in named] + ([f"({gap})"] if gap else [])
        line = "   ".join(words)
        if not line or len(line) <= self._console.width - self._body:
            if line:
                self._under(Text(line))
            return
        for name, value in named:
            last = f"   ({gap})" if gap and name == "got" else ""
            lead = Text(" " * self._body + f"{name:<9}")
            self._console.lines(lead, Text(value + last), self._body + 9)

    def _output(self, output: str) -> None:
        """Print the first lines that the student's code printed, labelled as such."""
        lines, more = first_output(output)
        if lines:
            self._under(Text("your code printed:", style=DIM))
        margin = Text(" " * self._body + "| ", style=DIM)
        for line in lines:
            self._console.lines(margin, Text(line), self._body + 2)
        if more:
            rest = "1 more line" if more == 1 else f"{more} more lines"
            self._under(Text(f"{rest}, in the report", style=DIM))

    def _hint(self, task: Task | None) -> None:
        """Print the hints of a task, once however many of its checks are not met."""
        if task is None or task.id in self._hinted:
            return
        self._hinted.add(task.id)
        for number, hint in enumerate(task.hints[: self._hints], start=1):
            words = f"hint {number} of {len(task.hints)}: "
            self._under(Text.assemble((words, DIM), clean(hint)))

    def _under(self, body: Text) -> None:
        """Print a line below a check's title."""
        self._console.lines(Text(" " * self._body), body, self._body)
