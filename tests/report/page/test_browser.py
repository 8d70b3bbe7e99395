"""The page in a real browser; without one these tests are skipped, and say so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.report.page.render import page as made_page
from tests.report.page.test_page import HOSTILE, with_every_text

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser: Chromium is not installed")

PHONE, DESK = {"width": 320, "height": 640}, {"width": 1100, "height": 900}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    flags = ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-gpu"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # a browser refuses its sandbox to root
    with playwright.sync_playwright() as driver:
        try:
            opened = driver.chromium.launch(executable_path=BROWSER, args=flags)
        except playwright.Error as error:
            pytest.skip(f"the browser does not start here: {str(error).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def file(html: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def shown(browser: Any, file: Path) -> Iterator[Any]:
    tab = browser.new_page(viewport=DESK)
    tab.goto(file.as_uri())
    yield tab
    tab.close()


def test_nothing_but_the_file_is_asked_for_and_nothing_is_complained_of(
    browser: Any, file: Path
) -> None:
    tab, asked, said = browser.new_page(), [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(file.as_uri(), wait_until="networkidle")
    tab.close()
    assert asked == [file.as_uri()]
    assert said == []


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_an_accessibility_checker_finds_nothing(browser: Any, file: Path, size: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = browser.new_page(viewport=size, bypass_csp=True)
    tab.goto(file.as_uri())
    found = axe.run(tab).response["violations"]
    tab.close()
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.parametrize("medium", ["screen", "print"])
def test_every_line_and_every_chart_has_a_place(shown: Any, medium: str) -> None:
    shown.emulate_media(media=medium)
    for selector in ("tr", "figure svg", "article", "h1, h2, h3", ".crash li"):
        boxes = [handle.bounding_box() for handle in shown.query_selector_all(selector)]
        assert boxes
        assert all(box and box["width"] > 0 and box["height"] > 0 for box in boxes), selector


def test_it_prints_on_pages_within_their_margins(browser: Any, file: Path) -> None:
    tab = browser.new_page(viewport={"width": 672, "height": 900})  # A4 less its margins
    tab.goto(file.as_uri())
    tab.emulate_media(media="print")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 672
    assert not tab.locator("nav").is_visible()
    printed = tab.pdf(format="A4")
    tab.close()
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") >= 2


def test_it_fits_a_phone(browser: Any, file: Path) -> None:
    tab = browser.new_page(viewport=PHONE)
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    tab.close()


def test_the_keyboard_reaches_the_parts_and_shows_where_it_is(shown: Any) -> None:
    reached = []
    for _ in range(60):
        shown.keyboard.press("Tab")
        reached.append(
            shown.evaluate(
                """() => {
                    const e = document.activeElement, s = getComputedStyle(e);
                    const name = e === document.body ? '' : e.textContent.trim().slice(0, 40);
                    return [name, s.outlineStyle, s.outlineWidth];
                }"""
            )
        )
    assert reached[0][0] == "To the report"
    names = [name for name, _, _ in reached]
    for name in ("Rubric", "Honest timing", "Predicted against measured", "ui.perfetto.dev"):
        assert name in names
    stops = [stop for stop in reached if stop[0]]
    assert all(style == "solid" and width == "3px" for _, style, width in stops), stops


def test_the_text_of_the_charts_is_read_in_the_font_of_the_page(shown: Any) -> None:
    family = "e => getComputedStyle(e).fontFamily"
    body = shown.eval_on_selector("body", family)
    texts = shown.query_selector_all("figure svg text")
    assert len(texts) > 20
    assert {text.evaluate(family) for text in texts} == {body}


def test_charts_stay_within_their_drawing(shown: Any) -> None:
    outside = shown.evaluate(
        """() => [...document.querySelectorAll('figure svg')].flatMap(svg => {
            const box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].filter(text => {
                const own = text.getBoundingClientRect();
                return own.left < box.left - 1 || own.right > box.right + 1;
            }).map(text => text.textContent);
        })"""
    )
    assert outside == []


def test_no_text_of_a_student_becomes_more_than_text(
    browser: Any, report: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(made_page(with_every_text(report, lambda _: HOSTILE)), encoding="utf-8")
    tab, events = browser.new_page(), []
    tab.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: events.append(request.url))
    tab.goto(path.as_uri(), wait_until="networkidle")
    assert events == [path.as_uri()]
    assert tab.evaluate("document.querySelectorAll('script, img, iframe').length") == 0
    assert tab.evaluate("document.body.innerText.includes('<script>alert(1)</script>')")
    tab.close()
