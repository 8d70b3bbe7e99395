"""The charts of what a measurement saw beyond one number: bars, layers and lanes."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from grader.predictions.quantity import show
from grader.predictions.series import Bar, Bars, Lanes, Layers, Series
from grader.report.page.figure import (
    BLUE,
    GREY,
    INK,
    PALE,
    ROSE,
    SAND,
    Chart,
    Table,
    name_axis,
    number_axis,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FACES = (BLUE, PALE, SAND, "white", ROSE, "#8fa3b5", "#efe3c8")
_HATCHES = ("", "---", "///", "", "\\\\\\", "xxx", "+++")
_NARROW = 0.09  # a span of less than this share of the axis has no room for its name


def series_chart(series: Series) -> Chart:
    """Return the chart of one series."""
    match series:
        case Bars():
            return _bars(series)
        case Layers():
            return _layers(series)
        case Lanes():
            return _lanes(series)


def _bars(series: Bars) -> Chart:
    unit = series.unit
    largest = max(series.rows, key=lambda bar: bar.middle)
    spread = any(bar.low is not None for bar in series.rows)
    says = f"The largest is {largest.name} with {show(largest.middle, unit)}."
    if series.reference is not None:
        told = (f"{bar.name} is {_with_spread(bar, unit)}" for bar in series.rows)
        says = f"{'; '.join(told)}. The line stands at {show(series.reference, unit)}."
    head = ("", "middle", "low", "high") if spread else ("", "size")
    rows = (
        (bar.name, show(bar.middle, unit), _or_dash(bar.low, unit), _or_dash(bar.high, unit))
        for bar in series.rows
    )
    return Chart(
        title=series.title,
        says=says,
        note=series.note,
        table=Table(head, tuple(row[: len(head)] for row in rows)),
        height=0.65 + 0.34 * len(series.rows),
        draw=lambda axes: _draw_bars(axes, series),
    )


def _with_spread(bar: Bar, unit: str) -> str:
    middle = show(bar.middle, unit)
    if bar.low is None or bar.high is None:
        return middle
    return f"{middle}, from {show(bar.low, unit)} to {show(bar.high, unit)}"


def _or_dash(value: int | float | None, unit: str) -> str:
    return "-" if value is None else show(value, unit)


def _draw_bars(axes: Axes, series: Bars) -> None:
    number_axis(axes.xaxis, series.unit)
    for row, bar in enumerate(series.rows):
        if series.reference is None:
            axes.barh(row, bar.middle, height=0.6, facecolor=PALE, edgecolor=INK, linewidth=0.8)
        else:
            axes.plot([bar.middle], [row], "o", color=INK, markersize=5)
        low = bar.middle if bar.low is None else bar.low
        high = bar.middle if bar.high is None else bar.high
        if bar.low is not None or bar.high is not None:
            axes.plot([low, high], [row, row], color=INK, linewidth=1.2)
            for end in (low, high):
                axes.plot([end, end], [row - 0.14, row + 0.14], color=INK, linewidth=1.2)
        axes.annotate(
            show(bar.middle, series.unit),
            (max(high, bar.middle), row), (6, 0), textcoords="offset points", va="center",
        )  # fmt: skip
    if series.reference is not None:
        axes.axvline(series.reference, color=GREY, linestyle="--", linewidth=1)
    name_axis(axes, [bar.name for bar in series.rows])
    left, right = axes.get_xlim()
    axes.set_xlim(left, right + 0.15 * (right - left))


def _layers(series: Layers) -> Chart:
    sums = [sum(column) for column in zip(*(row.values for row in series.rows), strict=True)]
    peak = max(range(len(sums)), key=lambda moment: sums[moment])
    part = _part_of(series, peak)
    parts = (f"{row.name} {show(row.values[peak], series.unit)}" for row in series.rows)
    return Chart(
        title=series.title,
        says=f"The peak, {show(sums[peak], series.unit)}, is in {part}: {', '.join(parts)}.",
        note=series.note,
        table=_layer_table(series, sums),
        height=3.3,
        draw=lambda axes: _draw_layers(axes, series, sums, peak),
    )


def _part_of(series: Layers, moment: int) -> str:
    ends = accumulate(part.moments for part in series.parts)
    return next(part.name for part, end in zip(series.parts, ends, strict=True) if moment < end)


def _layer_table(series: Layers, sums: list[int | float]) -> Table:
    """Return what is there at the end of each part, and at the largest moment within it."""
    head, moments = [""], []
    bounds = [0, *accumulate(part.moments for part in series.parts)]
    for part, (begin, end) in zip(series.parts, pairwise(bounds), strict=True):
        head += [f"{part.name}, peak", f"{part.name}, end"]
        moments += [max(range(begin, end), key=lambda moment: sums[moment]), end - 1]
    rows = [
        (row.name, *(show(row.values[moment], series.unit) for moment in moments))
        for row in series.rows
    ]
    total = ("together", *(show(sums[moment], series.unit) for moment in moments))
    return Table(tuple(head), (*rows, total))


def _draw_layers(axes: Axes, series: Layers, sums: list[int | float], peak: int) -> None:
    base = [0.0] * len(sums)
    moments = list(range(len(sums)))
    for index, row in enumerate(series.rows):
        top = [low + value for low, value in zip(base, row.values, strict=True)]
        axes.fill_between(
            moments, base, top, step="mid", label=shortened(row.name),
            facecolor=_FACES[index % len(_FACES)], hatch=_HATCHES[index % len(_HATCHES)],
            edgecolor=INK, linewidth=0.5,
        )  # fmt: skip
        base = top
    highest = float(max(sums))
    bounds = [0, *accumulate(part.moments for part in series.parts)]
    for part, (begin, end) in zip(series.parts, pairwise(bounds), strict=True):
        axes.axvline(begin - 0.5, color=GREY, linewidth=0.8, linestyle=":")
        axes.annotate(
            shortened(part.name, 18),
            ((begin + end - 1) / 2, 1.16 * highest),
            ha="center",
            color=GREY,
        )
    axes.plot([peak], [sums[peak]], "v", color=INK, markersize=6)
    axes.annotate(
        f"peak {show(sums[peak], series.unit)}",
        (peak, sums[peak]), (0, 6), textcoords="offset points", ha="center",
    )  # fmt: skip
    axes.set_xlim(-0.5, len(sums) - 0.5)
    axes.set_ylim(0, 1.25 * highest or 1)
    axes.set_xticks([])
    number_axis(axes.yaxis, series.unit)
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, handlelength=2.2, handleheight=1.1
    )


def _lanes(series: Lanes) -> Chart:
    unit = series.unit
    told = [
        f"{lane.name}: {lane.spans[0].name}, from {show(lane.spans[0].start, unit)} "
        f"to {show(lane.spans[0].end, unit)}"
        for lane in series.rows
        if len(lane.spans) == 1
    ]
    rows = (
        (lane.name, span.name, show(span.start, unit), show(span.end, unit))
        for lane in series.rows
        for span in lane.spans
    )
    return Chart(
        title=series.title,
        says=f"{'; '.join(told) or 'The table lists who did what when'}.",
        note=series.note,
        table=Table(("who", "what", "from", "to"), tuple(rows)),
        height=0.55 + 0.32 * len(series.rows),
        draw=lambda axes: _draw_lanes(axes, series),
    )


def _draw_lanes(axes: Axes, series: Lanes) -> None:
    number_axis(axes.xaxis, series.unit)
    ends = [span.end for lane in series.rows for span in lane.spans]
    starts = [span.start for lane in series.rows for span in lane.spans]
    whole = (max(ends, default=1) - min(starts, default=0)) or 1
    places: list[float] = []
    for lane in series.rows:
        alone = len(lane.spans) == 1
        row = (places[-1] + (1.4 if alone else 0.9)) if places else 0.0
        places.append(row)
        axes.broken_barh(
            [(span.start, span.end - span.start) for span in lane.spans], (row - 0.33, 0.66),
            facecolors=[SAND] if alone else [PALE, "white"], edgecolor=INK, linewidth=0.8,
        )  # fmt: skip
        for span in lane.spans:
            if (span.end - span.start) >= _NARROW * whole:
                middle = (span.start + span.end) / 2
                axes.annotate(shortened(span.name, 18), (middle, row), ha="center", va="center")
            elif alone:
                axes.annotate(
                    shortened(span.name), (span.end, row), (4, 0),
                    textcoords="offset points", va="center",
                )  # fmt: skip
    name_axis(axes, [lane.name for lane in series.rows], places)
