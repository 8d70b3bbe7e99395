from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader.report.page.render import page
from grader.report.write import schema_problems
from tests.report.page.conftest import make_report
from tests.report.page.reading import Element, Page, read

_TAGS = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&lt;$\\frac$"
HOSTILE = f"{_TAGS}\u202egpj.exe\x1b[31m\ud800%(x)s{{{{7*7}}}}"
SHOWN = f"{_TAGS}gpj.exe%(x)s{{{{7*7}}}}"


def test_the_sample_is_a_report(report: dict[str, Any], schema_path: Path) -> None:
    assert schema_problems(report, schema_path) == []


def test_the_page_is_well_formed_and_every_id_is_there_once(seen: Page) -> None:
    assert seen.faults == []
    ids = [element.attributes["id"] for element in _all(seen.root) if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for element in _all(seen.root):
        for name in ("aria-labelledby", "href"):
            target = element.attributes.get(name, "").removeprefix("#")
            if (name == "aria-labelledby" and target) or element.attributes.get(name, "")[
                :1
            ] == "#":
                assert target in ids, (element.name, target)
        for target in re.findall(r"url\(#([^)]*)\)", " ".join(element.attributes.values())):
            assert target in ids


def test_nothing_is_fetched_and_no_script_runs(html: str, seen: Page) -> None:
    links = [element.attributes["href"] for element in seen.every("a")]
    assert [link for link in links if not link.startswith("#")] == ["https://ui.perfetto.dev"]
    assert html.count("http") == 2  # the link, and `http-equiv`
    assert not seen.every("script", "link", "img", "iframe", "object", "embed", "form", "base")
    for element in _all(seen.root):
        assert not [name for name in element.attributes if name.startswith("on")]
        assert "src" not in element.attributes
    policy = [m.attributes for m in seen.every("meta") if "http-equiv" in m.attributes]
    assert policy[0]["content"].startswith("default-src 'none'; ")
    assert "@import" not in html


def test_headings_go_down_one_level_at_a_time(seen: Page) -> None:
    levels = [int(element.name[1]) for element in seen.every("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_row_stands_with_its_level_and_all_its_evidence(
    seen: Page, report: dict[str, Any]
) -> None:
    for row in report["rows"]:
        (section,) = [
            element
            for element in seen.every("section")
            if element.every("h2") and element.every("h2")[0].text.startswith(row["title"])
        ]
        assert section.every("h2")[0].text == f"{row['title']}: {row['level']}"
        for check in report["checks"]:
            if check["row"] == row["id"] and check["task"] != "8.9.P":
                (line,) = [tr for tr in section.every("tr") if check["title"] in tr.text]
                assert check["status"] in line.text
                assert check["level"] in line.text
    sheet = next(
        t for t in seen.every("table") if t.every("caption")[0].text.startswith("Evidence from")
    )
    assert [tr.text for tr in sheet.every("tr")][1] == "slowest ✓ met ✓ met"


def test_what_is_not_met_says_why(seen: Page) -> None:
    (article,) = [
        a for a in seen.every("article") if a.every("h3")[0].parent and "8.9.a/twice" in a.text
    ]
    assert "It is not." in article.text
    assert "expected 1.5 ms got 3 ms" in article.text
    assert "This is what <adding> totals gives." in article.text
    assert "hello world" in article.text


def test_a_reason_that_a_check_gives_itself_is_not_said_twice(seen: Page) -> None:
    assert "Met: 1 of 4." in seen.text
    assert "8.9.a/twice (pass) is not met" not in seen.text


def test_a_crash_is_told_as_a_list(seen: Page) -> None:
    (story,) = [ol for ol in seen.every("ol") if ol.attributes.get("class") == "crash"]
    assert [li.text for li in story.every("li")] == [
        "1. openat: temporary made (0 B)",
        "2. write: temporary 0 -> 20140 B",
        "some calls are left out",
        "9. rename: temporary -> run/state.bin",
        "power loss",
        "run/state.bin holds 0 of 20140 B: it was not synchronised",
        "what is left: run/state.bin (0 B)",
    ]


def test_every_chart_says_in_words_and_in_a_table_what_it_shows(seen: Page) -> None:
    figures = seen.every("figure")
    assert len(figures) == 6
    for figure in figures:
        (drawing,) = figure.every("svg")
        assert drawing.attributes["role"] == "img"
        assert drawing.every("title")[0].text in drawing.attributes["aria-label"]
        assert len(drawing.every("desc")[0].text) > 20
        assert len(figure.every("figcaption")[0].text) > 30
        (table,) = figure.every("table")
        assert len(table.every("tr")) >= 2
        assert all(th.attributes.get("scope") in ("row", "col") for th in table.every("th"))
        assert drawing.every("text"), "the text of a chart is text"


def test_predicted_and_terms_make_measured(seen: Page) -> None:
    figures = {figure.every("strong")[0].text: figure for figure in seen.every("figure")}
    explained = figures["flops: from the prediction to the measurement"]
    rows = [[cell.text for cell in tr.every("th", "td")] for tr in explained.every("tr")][1:]
    assert rows == [
        ["predicted", "5750784 FLOP", "5750784 FLOP"],
        ["layer_1_input_gradient", "-1572864 FLOP", "4177920 FLOP"],
        ["measured", "4177920 FLOP", "4177920 FLOP"],
    ]
    open_gap = figures["peak: from the prediction to the measurement"]
    assert "+24 B not explained" in open_gap.every("figcaption")[0].text


def test_all_fields_of_the_sheet_are_in_one_table(seen: Page, report: dict[str, Any]) -> None:
    table = next(
        t for t in seen.every("table") if t.every("caption")[0].text == "All fields of the sheet"
    )
    bodies = table.every("tbody")
    for field, body in zip(report["predictions"]["fields"], bodies, strict=True):
        assert field["title"] in body.text
        assert field["state"] in body.text
        if field["kind"] != "text":
            assert f"{field['predicted']} {field['measured']}" in body.text


def test_perfetto_is_named_where_there_are_traces(seen: Page) -> None:
    assert "open in Perfetto" in seen.text
    without = make_report(evidence=[])
    assert "Perfetto" not in page(without)


def test_problems_and_circumstances_are_there(seen: Page) -> None:
    assert "numpy_stage.py:3: is odd; mend it" in seen.text
    for words in ("7f3a", "Python 3.11", "confined (level 2)", "0" * 64, "2 seals"):
        assert words in seen.text


def test_whatever_a_student_wrote_is_shown_as_text(report: dict[str, Any]) -> None:
    hostile = with_every_text(report, lambda text: HOSTILE)
    seen = read(page(hostile))
    assert seen.faults == []
    assert not seen.every("script", "img")
    assert SHOWN in seen.text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b]", seen.text)
    for element in _all(seen.root):
        assert not [name for name in element.attributes if name.startswith("on")]
    drawn = [text.text for figure in seen.every("figure") for text in figure.every("text")]
    assert any(text.startswith("<script>alert(1)") for text in drawn)


@pytest.mark.parametrize("text", ["", "\n", "日本語のテキスト" * 300])
def test_odd_texts_leave_a_page(report: dict[str, Any], text: str) -> None:
    assert read(page(with_every_text(report, lambda _: text))).faults == []


def test_a_report_of_nothing_is_a_page() -> None:
    empty = make_report(evidence=[], seal=None, residuals=(), rows=[], problems=[])
    empty["interrupted"], empty["finished"] = True, None
    seen = read(page(empty))
    assert seen.faults == []
    assert "No check ran." in seen.text
    assert "This grade was interrupted." in seen.text


def test_checks_of_single_tasks_stand_without_a_level(report: dict[str, Any]) -> None:
    seen = read(page(report | {"rows": []}))
    assert "not scored: single tasks were checked" in seen.text
    assert "Self times add up in the trace." in seen.text


def test_a_report_from_before_there_were_numbers_is_a_page(report: dict[str, Any]) -> None:
    old = json.loads(json.dumps(report))
    for field in old["predictions"]["fields"]:
        del field["numbers"], field["series"]
        for term in field["terms"]:
            del term["size"]
    assert not read(page(old)).every("figure")


def test_the_same_report_gives_the_same_page(report: dict[str, Any], html: str) -> None:
    assert page(report) == html


def _all(element: Element) -> Iterator[Element]:
    for child in element.children:
        yield child
        yield from _all(child)


_KEPT = frozenset({"kind", "unit", "status", "state", "row", "level", "at_most", "schema", "word"})
"""Members whose texts are words out of a list, or that a check is found by."""


def with_every_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a report whose texts are all changed."""
    if isinstance(value, dict):
        return {
            name: item if name in _KEPT else with_every_text(item, change)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [with_every_text(item, change) for item in value]
    return change(value) if isinstance(value, str) else value
