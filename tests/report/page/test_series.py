from __future__ import annotations

import pytest

from grader.predictions.series import Bar, Bars, Lane, Lanes, Layer, Layers, Part, Series, Span
from grader.report.page.figure import svg
from grader.report.page.series import series_chart
from tests.report.page.conftest import BARS, LANES, LAYERS, RATIO
from tests.report.page.reading import read


@pytest.mark.parametrize(
    "series",
    [
        BARS, RATIO, LAYERS, LANES,
        Bars("t", "1", "", (Bar("a", 0),)),
        Bars("t", "B", "", (Bar("a", -5, -6, -4), Bar("b", 10**9))),
        Bars("t", "1", "", (Bar("a", 1.0),), reference=1.0),
        Layers("t", "1", "", (Layer("a", (0,)),), (Part("p", 1),)),
        Layers("t", "s", "", tuple(Layer(f"l{i}", (i, 1)) for i in range(9)), (Part("p", 2),)),
        Lanes("t", "s", "", (Lane("a", ()),)),
        Lanes("t", "s", "", (Lane("a", (Span("x", 1, 1),)),)),
    ],
)  # fmt: skip
def test_every_series_can_be_drawn_with_its_text(series: Series) -> None:
    chart = series_chart(series)
    drawn = read(svg(chart, "a"))
    assert drawn.faults == []
    assert drawn.every("desc")[0].text
    assert chart.table.rows or isinstance(series, Lanes)


def test_bars_say_which_is_the_largest_and_list_the_spread() -> None:
    chart = series_chart(BARS)
    assert chart.says == "The largest is optimizer with 2 ms."
    assert chart.table.rows[0] == ("forward", "300 us", "290 us", "340 us")
    assert chart.table.rows[1] == ("backward", "600 us", "-", "-")


def test_a_reference_is_said() -> None:
    assert series_chart(RATIO).says == (
        "old / new is 1.02, from 0.98 to 1.1. The line stands at 1."
    )


def test_layers_say_where_the_peak_is_and_list_each_part() -> None:
    chart = series_chart(LAYERS)
    assert chart.says == "The peak, 800 B, is in backward: parameters 400 B, gradients 400 B."
    assert chart.table.head == (
        "",
        "forward, peak",
        "forward, end",
        "backward, peak",
        "backward, end",
    )
    assert chart.table.rows[1] == ("gradients", "0 B", "0 B", "400 B", "400 B")
    assert chart.table.rows[2] == ("together", "400 B", "400 B", "800 B", "800 B")


def test_lanes_list_who_did_what_when() -> None:
    chart = series_chart(LANES)
    assert chart.says == "no sync: prints 75 us, from 0 s to 75 us."
    assert ("its device", "kernel 1", "500 us", "600 us") in chart.table.rows
