"""Any report that keeps to the schema becomes a page: of text alone, whole, and never an error."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.cli.entry import run
from grader.report.page.render import page
from grader.report.write import schema_problems
from tests.report.page.reading import Element, read

Place = tuple[str | int, ...]

TEXTS = st.sampled_from(
    [
        "",
        "<script>alert(1)</script>",
        "\"'><svg onload=alert(1)>",
        "</title></style></pre></table><img src=x onerror=alert(1)>",
        "<!--",
        "]]>",
        "{{ 7 * 7 }}{% raw %}",
        "$\\frac{1}{0}$ $_^{",
        "&#60;b&#62;",
        "\u202e\u2066gpj.exe\u0000\x07\x1b[2J\ud800",
        "nan",
        "\n\r\t\u2028",
        "w" * 20_000,
        "\u0301" * 500,
        "a kill leaves this:\n1. openat\n-- kill --\nleft: nothing",
        "1. \n-- kill --\n",
    ]
) | st.text(max_size=40)
NUMBERS = st.sampled_from(
    [0, -1, 1, 10**400, -(10**400), 2**63, 1e308, -1e308, 1.7e308, 5e-324, -0.0, 1e-300,
     float("inf"), float("-inf"), float("nan")]
) | st.floats()  # fmt: skip


def places(value: Any, here: Place = ()) -> Iterator[tuple[Place, Any]]:
    """All values of a report with their paths."""
    yield here, value
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, one in items:
        yield from places(one, (*here, key))


def put(report: Any, path: Place, value: Any) -> None:
    """Replace one value, if its place is still there."""
    for key in path[:-1]:
        try:
            report = report[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(report, list) and path[-1] >= len(report):  # type: ignore[operator]
        return
    if isinstance(report, dict | list):
        report[path[-1]] = value


@st.composite
def hostile(draw: st.DrawFn, report: dict[str, Any], schema_path: Path) -> dict[str, Any]:
    """A report with two fields in which some values are others, while it keeps to the schema."""
    made = copy.deepcopy(report)
    fields = made["predictions"]["fields"]
    made["predictions"]["fields"] = draw(st.permutations(fields))[:2]
    report = copy.deepcopy(made)
    numbers = [one for one in places(report) if type(one[1]) in (int, float)]
    others = [one for one in places(report) if one[0] and one not in numbers]
    chosen = draw(st.lists(st.sampled_from(numbers), max_size=4))
    chosen += draw(st.lists(st.sampled_from(others), max_size=8))
    for path, value in chosen:
        before = copy.deepcopy(made)
        if isinstance(value, bool):
            put(made, path, not value)
        elif isinstance(value, str):
            put(made, path, draw(TEXTS))
        elif isinstance(value, int | float):
            put(made, path, draw(NUMBERS))
        elif isinstance(value, list):
            put(made, path, copy.deepcopy(value) * draw(st.sampled_from([0, 0, 1, 2, 40])))
        else:
            put(made, path, None)
        if schema_problems(made, schema_path):
            made = before
    return made


def every(element: Element) -> Iterator[Element]:
    """All elements below one."""
    for child in element.children:
        yield child
        yield from every(child)


def expect_text_alone(html: str) -> None:
    seen = read(html)
    assert seen.faults == []
    assert not seen.every("script", "img", "iframe", "object")
    for element in every(seen.root):
        assert not [name for name in element.attributes if name.startswith("on")]
    assert "<script" not in html.lower()


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_hostile_report_is_a_page_of_text(
    data: st.DataObject, report: dict[str, Any], schema_path: Path
) -> None:
    expect_text_alone(page(data.draw(hostile(report, schema_path))))


LONG = 10**400
STORY = f"{'9' * 5000}. openat\n-- kill --\nleft: nothing"
TERM = {"name": "x", "amount": "1 B", "believed": True, "message": "", "size": 1}


def only_field(made: dict[str, Any], name: str) -> dict[str, Any]:
    """Leave one field on the sheet, and return it."""
    fields = made["predictions"]["fields"]
    fields[:] = [field for field in fields if field["field"] == name]
    return fields[0]  # type: ignore[no-any-return]


FOUND: dict[str, Callable[[dict[str, Any]], object]] = {
    "memory": lambda made: made["machine"].update(memory=LONG, load=LONG, cores=LONG),
    "a call's number": lambda made: made["checks"][1].update(message=STORY),
    "a bar": lambda made: only_field(made, "slowest")["series"]["rows"][0].update(middle=LONG),
    "a bar's end": lambda made: only_field(made, "slowest")["series"]["rows"][0].update(
        middle=10**29, low=-(10**29)
    ),
    "a span": lambda made: only_field(made, "sync")["series"]["rows"][0]["spans"][0].update(
        start=-(2**60), end=10**29
    ),
    "a prediction": lambda made: only_field(made, "flops")["numbers"].update(
        predicted=10**29, measured=-(10**29)
    ),
    "terms": lambda made: only_field(made, "flops").update(terms=[TERM] * 2000),
    "checks": lambda made: (made.update(checks=made["checks"] * 100), only_field(made, "share")),
}


@pytest.mark.parametrize("change", FOUND.values(), ids=FOUND)
def test_what_once_broke_a_page_is_one(
    change: Callable[[dict[str, Any]], object], report: dict[str, Any], schema_path: Path
) -> None:
    made = copy.deepcopy(report)
    change(made)
    assert schema_problems(made, schema_path) == []
    expect_text_alone(page(made))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"schema": ' + "9" * 5000 + "}",
        "NaN",
        "[]",
        '{"a": ' * 900 + "1" + "}" * 900,
    ],
    ids=["deep", "long", "no number", "list", "nested"],
)
def test_what_is_no_report_is_told_in_a_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "report.json"
    source.write_text(text, encoding="utf-8")
    assert run(["page", str(source), str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "this is no report" in said
    assert "Traceback" not in said
    assert not (tmp_path / "page.html").exists()


def test_a_hostile_file_is_a_page(tmp_path: Path, report: dict[str, Any]) -> None:
    made = copy.deepcopy(report)
    made["title"], made["machine"]["memory"] = "\ud800<script>\u202e", LONG
    only_field(made, "share")["numbers"].update(predicted=float("nan"), measured=float("inf"))
    (tmp_path / "report.json").write_text(json.dumps(made), encoding="ascii")
    assert run(["page", str(tmp_path / "report.json"), str(tmp_path / "page.html")]) == 0
    expect_text_alone((tmp_path / "page.html").read_text(encoding="utf-8"))
