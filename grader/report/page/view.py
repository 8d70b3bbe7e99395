"""What stands on the page, in the order it stands there: a pure function of a report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grader.predictions.series import read_series
from grader.report.clean import clean_lines
from grader.report.judgement import Comparison, comparison, first_output, row_words
from grader.report.next_step import SHEET_TASK
from grader.report.page.crash import CrashStory, crash_story
from grader.report.page.figure import Chart
from grader.report.page.series import series_chart
from grader.report.page.waterfall import waterfall

MARKS = {
    "met": "✓",
    "exact": "✓",
    "within band": "✓",
    "explained": "✓",
    "not met": "✗",
    "stopped": "✗",
    "not explained": "✗",
    "not attempted": "○",
    "skipped": "○",
    "for a person": "☞",
}
OPEN = "?"
"""The mark of all that says nothing, for or against."""

_QUIET = frozenset({"met", "skipped", "not attempted"})
_TRACE = re.compile(r"\btraces?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check: what it promises, what came of it, and what is behind that.

    Attributes:
        seen: What is wrong, expected and got.
        story: The crash that its message tells of, if it tells of one.
        output: First lines that the student's code printed, and how many more there are.
    """

    id: str
    task: str
    title: str
    level: str
    status: str
    mistake: str
    person: bool
    seen: Comparison
    story: CrashStory | None
    output: tuple[list[str], int]

    @property
    def needs_words(self) -> bool:
        """Whether there is more to say than its line in the table."""
        return self.status not in _QUIET


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of the sheet: the two pieces of evidence it makes, and its charts."""

    name: str
    kind: str
    title: str
    predicted: str
    measured: str
    gap: str
    state: str
    message: str
    terms: tuple[Mapping[str, Any], ...]
    charts: tuple[Chart, ...]

    @property
    def needs_words(self) -> bool:
        """Whether there is more to say than its line in the table."""
        return bool(self.charts or self.terms or self.message or self.kind == "text")


@dataclass(frozen=True, slots=True)
class RowView:
    """One row of the rubric with its evidence.

    Attributes:
        level: Its level in words; empty for checks that were run without scoring.
        reasons: Why, as far as its checks do not say it themselves.
        fields: Fields of the sheet: name, title, whether it was sealed, whether it is explained.
    """

    title: str
    level: str
    reasons: tuple[str, ...]
    checks: tuple[CheckView, ...]
    fields: tuple[tuple[str, str, str, str], ...]

    @property
    def tally(self) -> str:
        """How many of its pieces of evidence are met."""
        statuses = [check.status for check in self.checks]
        statuses += [status for field in self.fields for status in field[2:]]
        return f"{statuses.count('met')} of {len(statuses)}"

    @property
    def told(self) -> tuple[CheckView, ...]:
        """The checks that need words."""
        return tuple(check for check in self.checks if check.needs_words)


@dataclass(frozen=True, slots=True)
class PageView:
    """Everything on the page."""

    report: Mapping[str, Any]
    counts: str
    rows: tuple[RowView, ...]
    fields: tuple[FieldView, ...]
    has_trace: bool
    facts: tuple[tuple[str, str], ...]


def page_view(report: Mapping[str, Any]) -> PageView:
    """Return what stands on the page of a report that keeps to its schema."""
    checks = report["checks"]
    predictions = report["predictions"] or {"fields": []}
    return PageView(
        report=report,
        counts=_counts(check["status"] for check in checks),
        rows=_rows(report),
        fields=tuple(map(_field, predictions["fields"])),
        has_trace=any(_TRACE.search(check["title"]) for check in checks),
        facts=tuple(_facts(report)),
    )


def mark(word: str) -> str:
    """Return the sign beside a status or a state, so that no colour has to tell them apart."""
    return MARKS.get(word, OPEN)


def moment(text: str | None) -> str:
    """Return an ISO moment as one writes it, in the zone it was written in."""
    try:
        return datetime.fromisoformat(text or "").strftime("%Y-%m-%d %H:%M %Z").strip()
    except ValueError:  # a day that no month has keeps to the schema
        return text or ""


def _counts(statuses: Iterable[str]) -> str:
    """Return how often each status was found, as a sentence."""
    counted = Counter(statuses).most_common()
    return f"{', '.join(f'{count} {status}' for status, count in counted) or 'No check ran'}."


def _rows(report: Mapping[str, Any]) -> tuple[RowView, ...]:
    """Return the rows with their evidence; checks of no scored row stand in rows of their own."""
    views, checks = [], report["checks"]
    for row in report["rows"]:
        own = [check for check in checks if check["row"] == row["id"]]
        words = row_words(row["level"], row["at_most"])
        views.append(_row(report, row["title"], words, row["reasons"], own))
    scored = {row["id"] for row in report["rows"]}
    for row_id in dict.fromkeys(check["row"] for check in checks):
        if row_id not in scored:
            own = [check for check in checks if check["row"] == row_id]
            title = row_id.replace("_", " ").capitalize()
            views.append(_row(report, title, "", (), own))
    return tuple(views)


def _row(
    report: Mapping[str, Any],
    title: str,
    level: str,
    reasons: Sequence[str],
    checks: Sequence[Mapping[str, Any]],
) -> RowView:
    sheet = f"{report['unit']}.{SHEET_TASK}/"
    names = {f["field"]: f["title"] for f in (report["predictions"] or {"fields": []})["fields"]}
    by_field: dict[str, dict[str, str]] = {}
    others = []
    for check in checks:
        name, _, what = check["id"].removeprefix(sheet).partition("/")
        if check["id"].startswith(sheet) and name in names and what in ("", "explained"):
            by_field.setdefault(name, {})[what] = check["status"]
        else:
            others.append(_check(check))
    fields = tuple(
        (name, names[name], found.get("", "skipped"), found.get("explained", "skipped"))
        for name, found in by_field.items()
    )
    told = tuple(f"{check['id']} (" for check in checks)  # the table below says the same
    rest = tuple(reason for reason in reasons if not reason.startswith(told))
    return RowView(title, level, rest, tuple(others), fields)


def _check(check: Mapping[str, Any]) -> CheckView:
    story = crash_story(check["message"])
    return CheckView(
        id=check["id"],
        task=check["task"],
        title=check["title"],
        level=check["level"],
        status=check["status"],
        mistake=check["mistake"],
        person=check["person"],
        seen=comparison(check),
        story=story,
        output=first_output(check["output"]),
    )


def _field(field: Mapping[str, Any]) -> FieldView:
    charts = [waterfall(field)]
    series = read_series(field.get("series"))
    if series is not None:
        charts.append(series_chart(series))
    return FieldView(
        name=field["field"],
        kind=field["kind"],
        title=field["title"],
        predicted=field["predicted"],
        measured=field["measured"],
        gap=field["residual"],
        state=field["state"],
        message=field["message"],
        terms=tuple(field["terms"]),
        charts=tuple(chart for chart in charts if chart is not None),
    )


def _float(value: int | float) -> float:
    """Return a number that is not negative as a float; JSON has whole numbers of any length."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _facts(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return under what the grade was made, as names and values."""
    versions, machine = report["versions"], report["machine"]
    named = (
        ("python", "Python"),
        ("torch", "PyTorch"),
        ("numpy", "NumPy"),
        ("torch_evidence", "Torch Evidence"),
    )
    installed = [f"{name} {versions[key]}" for key, name in named if versions.get(key)]
    parts = [machine.get(key) for key in ("processor", "system", "release", "architecture")]
    hardware = [str(part) for part in parts if part]
    if machine.get("cores"):
        hardware.append(f"{machine['cores']} cores")
    if machine.get("memory"):
        hardware.append(f"{_float(machine['memory']) / 2**30:.1f} GiB")
    measured_on = [str(machine[key]) for key in ("device",) if machine.get(key)]
    if machine.get("threads"):
        measured_on.append(f"{machine['threads']} thread" + "s" * (machine["threads"] != 1))
    if machine.get("load") is not None:
        measured_on.append(f"load {_float(machine['load']):g} at the start")
    practice = ", practice" if report["confinement"]["practice"] else ""
    facts = [
        ("Submission", report["submission"]["path"]),
        ("Digest", report["submission"]["digest"] or "none: nothing could be read"),
        ("Seed", report["seed"]),
        (
            "Graded",
            f"{moment(report['started'])} to {moment(report['finished']) or 'an early end'}",
        ),
        ("Versions", ", ".join(installed)),
        ("Machine", ", ".join(hardware)),
        ("Measured on", ", ".join(measured_on)),
        ("Confinement", f"{report['confinement']['words']}{practice}"),
    ]
    return [(name, " ".join(clean_lines(value))) for name, value in facts if value]
