"""Predicted plus the named terms is measured, as steps from one bar to the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.predictions.quantity import show
from grader.report.page.figure import (
    BLUE,
    INK,
    PALE,
    ROSE,
    SAND,
    Chart,
    Table,
    name_axis,
    number_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REST = {"within band": "within the band", "inconclusive": "left open"}
"""What the gap that no term accounts for is called, by the state of the field."""

_NEAR = 0.5  # totals this much larger than all steps are cut, so that the steps can be seen
_NOISE = 1e-9
_LARGEST = 1e30  # more is no quantity, and breaks an axis
_MOST_TERMS = 24  # a chart of more is as long as a page


@dataclass(frozen=True, slots=True)
class Step:
    """One bar: from `start` to `end`; a total starts at 0 [unit]."""

    name: str
    start: int | float
    end: int | float
    is_total: bool = False
    is_rest: bool = False

    @property
    def size(self) -> int | float:
        """Length of the bar with its sign [unit]."""
        return self.end - self.start


def steps(field: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the bars from prediction to measurement: believed terms, and what is left.

    Empty for a field without numbers, for one that was predicted exactly, and for one with more
    terms than a chart can show.
    """
    numbers = field.get("numbers")
    if not numbers or numbers["predicted"] == numbers["measured"]:
        return ()
    predicted, measured = numbers["predicted"], numbers["measured"]
    sizes = [term.get("size") or 0 for term in field["terms"]]
    if len(sizes) > _MOST_TERMS or not all(
        abs(size) <= _LARGEST for size in (predicted, measured, *sizes)
    ):
        return ()
    found, now = [Step("predicted", 0, predicted, is_total=True)], predicted
    for term in field["terms"]:
        size = term.get("size")
        if size is not None:
            found.append(Step(str(term["name"]), now, now + size))
            now += size
    if abs(measured - now) > _NOISE * max(abs(measured), abs(predicted)):
        name = REST.get(field["state"], "not explained")
        found.append(Step(name, now, measured, is_rest=True))
    return (*found, Step("measured", 0, measured, is_total=True))


def waterfall(field: Mapping[str, Any]) -> Chart | None:
    """Return the chart of one field, None where nothing lies between its two numbers."""
    found = steps(field)
    if not found:
        return None
    unit = field["numbers"]["unit"]
    between = ", ".join(f"{_said(step, unit)} {step.name}" for step in found[1:-1])
    return Chart(
        title=f"{field['field'].replace('_', ' ')}: from the prediction to the measurement",
        says=f"{_said(found[0], unit)} predicted, {between or 'nothing'}, "
        f"is {_said(found[-1], unit)} measured.",
        note="",
        table=Table(
            ("", "size", "sum so far"),
            tuple((step.name, _said(step, unit), show(step.end, unit)) for step in found),
        ),
        height=0.55 + 0.34 * len(found),
        draw=lambda axes: _draw(axes, found, unit),
    )


def _said(step: Step, unit: str) -> str:
    said = show(step.size, unit, signed=not step.is_total)
    # a difference of two shares is not a share of either
    return said if step.is_total else said.replace("%", "points")


def _draw(axes: Axes, found: tuple[Step, ...], unit: str) -> None:
    begin, low, high = _window(found)
    for row, step in enumerate(found):
        start = begin if step.is_total else step.start
        face, hatch = _look(step)
        axes.barh(
            row, float(step.end - start), left=float(start), height=0.62, facecolor=face,
            hatch=hatch, edgecolor=INK, linewidth=0.8, linestyle="--" if step.is_rest else "-",
        )  # fmt: skip
        right = float(max(start, step.end))
        axes.annotate(
            _said(step, unit), (right, row), (5, 0), textcoords="offset points", va="center"
        )
        if row:
            edge = float(found[row - 1].end)
            axes.plot([edge, edge], [row - 1 + 0.31, row - 0.31], color=INK, linewidth=0.8)
    name_axis(axes, [step.name for step in found])
    room = (high - low) or abs(high) or 1
    axes.set_xlim(low, high + 0.28 * room)
    number_axis(axes.xaxis, unit)
    if begin:
        axes.set_xticks([])
        axes.set_xlabel("cut: this axis does not begin at 0")


def _window(found: tuple[Step, ...]) -> tuple[float, float, float]:
    """Return where totals begin, and the ends of the axis; 0 is left out where it is far off."""
    ends = [float(step.end) for step in found]
    low, high = min(ends), max(ends)
    span = high - low
    if low > 0 and span < _NEAR * low:
        begin = low - span
        return begin, begin, high
    if high < 0 and span < _NEAR * -high:
        begin = high + span
        return begin, low, begin
    return 0.0, min(0.0, low), max(0.0, high)


def _look(step: Step) -> tuple[str, str]:
    if step.is_total:
        return (BLUE if step.name == "predicted" else SAND), ""
    if step.is_rest:
        return "white", "|||"
    return (ROSE, "\\\\\\") if step.size < 0 else (PALE, "///")
