"""A chart of the page: SVG with its text kept as text, and a table that says the same."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from grader.report.clean import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 7.2
"""Width of a chart [in]; the page scales it."""

INK, GREY, PALE, RULE = "#1d2733", "#5b6672", "#dfe5ea", "#b9c2ca"
BLUE, SAND, ROSE = "#3f6f9f", "#c9a45c", "#b0606a"

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "torch-evidence",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.labelcolor": GREY,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "ytick.color": INK,
    "xtick.labelcolor": GREY,
    "hatch.linewidth": 0.7,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
}
_NOTHING = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_NEEDLESS = re.compile(
    r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>"
    r'| xmlns(:xlink)?="[^"]*"| version="[^"]*"',
    re.DOTALL,
)
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_FONT = re.compile(r" font-family: [^;\"]*;")


@dataclass(frozen=True, slots=True)
class Table:
    """What a chart shows, in cells; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart before it has a place on a page.

    Attributes:
        title: What it shows.
        says: The same in a sentence or two, for who does not see it.
        note: How it was measured; empty if the title says all.
        table: Every number of it.
        height: Its height [in].
        draw: Draws it.
    """

    title: str
    says: str
    note: str
    table: Table
    height: float
    draw: Callable[[Axes], None]


def svg(chart: Chart, name: str) -> str:
    """Return a chart as SVG to stand inside a page, whose ids all begin with `name`."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    target = io.StringIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a character that the font of the layout lacks
        figure = Figure(figsize=(WIDTH, chart.height), layout="constrained")
        FigureCanvasSVG(figure)
        chart.draw(figure.add_subplot())
        figure.savefig(target, format="svg", metadata=_NOTHING)
    text = target.getvalue()
    text = _NEEDLESS.sub("", text[text.index("<svg") :])
    text = _ID.sub(rf"\g<1>{name}-", text).replace("xlink:href", "href")
    text = _FONT.sub("", text)  # the page's own
    size = re.compile(r' (?:width|height)="[0-9.]+pt"')
    head, _, body = text.partition(">")
    words = f"<title>{escape(clean(chart.title))}</title><desc>{escape(clean(chart.says))}</desc>"
    return f'{size.sub("", head)} role="img" aria-label="{_label(chart)}">{words}{body}'


def _label(chart: Chart) -> str:
    return escape(f"{clean(chart.title)}. {clean(chart.says)}")


def number_axis(axis: Any, unit: str) -> None:
    """Write the numbers of an axis with their unit, such as 1.5 MB, on fine lines."""
    from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(6))
    if unit in ("B", "FLOP", "s"):
        words = EngFormatter(unit)
        # one way to write a microsecond, everywhere
        told = FuncFormatter(lambda value, at: words(value, at).replace("\N{MICRO SIGN}", "u"))
        axis.set_major_formatter(told)
    axis.grid(visible=True, color=PALE, linewidth=0.8)
    axis.set_tick_params(length=0, labelcolor=GREY)
    axis.axes.set_axisbelow(True)


def name_axis(axes: Any, names: Sequence[str], places: Sequence[float] | None = None) -> None:
    """Write names beside horizontal bars, the first one at the top."""
    places = range(len(names)) if places is None else places
    axes.set_yticks(places, [shortened(name) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(places) + 0.6, min(places) - 0.6)


def shortened(name: str, most: int = 34) -> str:
    """Return a name that fits beside a chart; the table has all of it."""
    words = clean(name).replace("_", " ")
    return words if len(words) <= most else words[: most - 1] + "…"
