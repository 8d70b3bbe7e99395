"""From a report to HTML: a pure function, which needs matplotlib and Jinja."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import Problem, UsageError
from grader.report.clean import clean, clean_lines

if TYPE_CHECKING:
    from jinja2 import Template

_HERE = Path(__file__).parent


def require_page_libraries() -> None:
    """Make sure, before an hour of grading, that a page can be made at its end.

    Raises:
        UsageError: if a library is missing; says how to install it.
    """
    missing = [name for name in ("jinja2", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        todo = "python -m pip install 'torch-evidence[report]'"
        raise UsageError(Problem("", f"a page needs {' and '.join(missing)}", todo))


def page(report: Mapping[str, Any]) -> str:
    """Return the page of a report that keeps to its schema.

    Whatever a student wrote is shown as text: without control or bidirectional characters, escaped.
    """
    from markupsafe import Markup

    from grader.report.page.figure import Chart, svg
    from grader.report.page.view import page_view

    def drawn(chart: Chart, name: str) -> Markup:
        return Markup(svg(chart, name))  # every text in it is escaped

    css = (_HERE / "page.css").read_text(encoding="utf-8")
    return _template().render(view=page_view(report), css=Markup(css), svg=drawn)


@cache
def _template() -> Template:
    import jinja2
    from markupsafe import Markup

    from grader.report.page.view import mark, moment

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) else clean(str(value))

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"mark": mark, "moment": moment, "lines": clean_lines}
    return environment.get_template("page.html")
