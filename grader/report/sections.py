"""The closing parts of a grade in the terminal: predictions, rows, next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.text import Text

from grader.report.clean import clean
from grader.report.judgement import row_words
from grader.report.layout import PlainConsole, flowed
from grader.report.next_step import SHEET_TASK
from grader.report.palette import DIM, style_of

_MARGIN = 2
_INDENT = 4
_GAP = 3
_WIDEST = 24  # a longer cell is cut: the report has all of it
_SETTLED = frozenset({"met", "inconclusive", "skipped"})
_ROOM = 30  # less room than this beside the numbers, and the words go below them


def print_predictions(console: PlainConsole, predictions: Mapping[str, Any]) -> None:
    """Print the seal, then each field beside its measurement, with what is said about the gap."""
    console.print()
    lead = Text(" " * _MARGIN + "Predictions" + " " * _GAP)
    console.lines(lead, _seal(predictions["seal"]), lead.cell_len)
    if again := _sealed_again(predictions["seal"]):
        console.lines(Text(" " * lead.cell_len), again, lead.cell_len)
    _print_fields(console, predictions["fields"])


def print_rows(console: PlainConsole, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print each rubric row with its level: on one line if they fit, else in two columns."""
    if not rows:
        return
    console.print()
    named = [(row["id"].replace("_", " "), row_words(row["level"], row["at_most"])) for row in rows]
    items = [Text.assemble(f"{name}  ", (words, style_of(words))) for name, words in named]
    lines = flowed(console, items, _MARGIN, 2 * _GAP)
    if len(lines) > 1:
        width = max(len(name) for name, _ in named) + _GAP
        margin = " " * _MARGIN
        lines = [
            Text.assemble(f"{margin}{name:<{width}}", (words, style_of(words)))
            for name, words in named
        ]
    for line in lines:
        console.lines(Text(), line, 0)


def print_ending(console: PlainConsole, report: Mapping[str, Any], path: str) -> None:
    """Print the next step with its minutes, and where the report lies."""
    items = [Text(f"report: {clean(path)}", style=DIM)]
    if report["interrupted"]:
        items.insert(0, Text("interrupted: this report is partial", style=style_of("inconclusive")))
    elif step := _next(report):
        items.insert(0, Text(step))
    if not report["rows"]:
        console.print()
    for line in flowed(console, items, _MARGIN, 2 * _GAP):
        console.lines(Text(), line, 0)


def _seal(seal: Mapping[str, Any]) -> Text:
    """Return the seal's verdict: two times if all is well, a sentence if not."""
    times = [
        f"{word} {_clock(moment)}"
        for word, moment in (("sealed", seal["sealed_at"]), ("measured", seal["measured_at"]))
        if moment
    ]
    if seal["word"] == "sealed":
        return Text(", ".join(times) or "sealed", style=DIM)
    return Text.assemble(
        (clean(seal["word"]), style_of("inconclusive")),
        f": {clean(seal['message'])}" if seal["message"] else "",
    )


def _sealed_again(seal: Mapping[str, Any]) -> Text | None:
    """Return how often the sheet was sealed and what changed, None if it was sealed once."""
    seals = seal.get("seals", 0)
    if seals < 2:
        return None
    fields = ", ".join(clean(name) for name in seal.get("rewritten", ()))
    return Text(f"{seals} seals, rewritten between them: {fields}", style=DIM)


def _clock(moment: str) -> str:
    """Return the local time of an ISO moment, with its date unless it is today's."""
    local = datetime.fromisoformat(moment).astimezone()
    today = local.date() == datetime.now().astimezone().date()
    return local.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")


def _print_fields(console: PlainConsole, fields: Sequence[Mapping[str, Any]]) -> None:
    cells = [
        (_cell(field["field"]), _cell(field["predicted"]) or "blank", _measured(field))
        for field in fields
    ]
    if not cells:
        return
    widths = [max(Text(row[column]).cell_len for row in cells) for column in range(3)]
    beside = _INDENT + sum(widths) + 3 * _GAP
    below = _INDENT + widths[0] + _GAP
    fits = all(beside + min(_ROOM, _outcome(field).cell_len) <= console.width for field in fields)
    for field, row in zip(fields, cells, strict=True):
        numbers = Text()
        for text, width in zip(row, widths, strict=True):
            numbers.append(text).pad_right(_GAP + width - Text(text).cell_len)
        margin, words = Text(" " * _INDENT), _outcome(field)
        if fits:
            console.lines(margin + numbers, words, beside)
        else:
            numbers.rstrip()
            console.lines(margin, numbers, _INDENT)
            console.lines(Text(), words, below)
        for term in field["terms"]:
            console.lines(Text(), _term(term), below)


def _outcome(field: Mapping[str, Any]) -> Text:
    """Return residual, state and message of a field as one phrase."""
    state, message = field["state"], clean(field["message"])
    residual = clean(field["residual"])
    settled = state in ("exact", "within band")
    numeric = field["kind"] in ("exact", "band")
    words = Text(f"{residual} " if residual and numeric and state != "exact" else "")
    words.append(state, style=style_of(state))
    if message and not settled:
        words.append(f": {message}")
    return words


def _term(term: Mapping[str, Any]) -> Text:
    words = Text(f"{clean(term['name'])} {clean(term['amount'])}  ", style=DIM)
    if term["believed"]:
        return words.append("believed", style=style_of("explained"))
    words.append("not believed", style=style_of("not explained"))
    return words.append(f": {clean(term['message'])}" if term["message"] else "")


def _next(report: Mapping[str, Any]) -> str:
    """Return what to do next; after a whole grade that left nothing open, that there is nothing."""
    step = report["next"]
    if step is not None:
        is_sheet = step["task"] == f"{report['unit']}.{SHEET_TASK}"
        what = clean(step["title"] if is_sheet else step["task"])
        return f"next: {what}, about {step['minutes']} minutes"
    statuses = {check["status"] for check in report["checks"]}
    done = report["rows"] and statuses <= _SETTLED
    return "nothing is left to do here; `grade ready` shows the whole course" if done else ""


def _measured(field: Mapping[str, Any]) -> str:
    if field["kind"] == "text":
        return ""
    return f"measured {_cell(field['measured'])}" if field["measured"] else "not measured"


def _cell(value: str) -> str:
    """Return a value that fits a column, cut where it does not."""
    text = clean(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
