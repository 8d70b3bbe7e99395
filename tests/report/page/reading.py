"""A page as a reader without a browser finds it: elements, their attributes and their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_APART = frozenset({"td", "th", "dt", "dd", "li", "p", "div", "h1", "h2", "h3", "strong"})
_VOID = frozenset({"meta", "link", "br", "img", "hr", "input"})


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, white space made single."""
        return " ".join("".join(self.pieces).split())

    def every(self, *names: str) -> list[Element]:
        """All elements below it with one of these names, in the page's order."""
        found = []
        for child in self.children:
            if child.name in names:
                found.append(child)
            found += child.every(*names)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> has an attribute twice")
        element = Element(tag, {name: value or "" for name, value in attrs}, self.open[-1])
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].name != tag:
            self.faults.append(f"</{tag}> closes <{self.open[-1].name}>")
            return
        if tag in _APART:
            self.handle_data(" ")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.pieces.append(data)


@dataclass
class Page:
    """What was read, and what is wrong with how it is written."""

    root: Element
    faults: list[str]

    def every(self, *names: str) -> list[Element]:
        return self.root.every(*names)

    @property
    def text(self) -> str:
        (body,) = self.every("body")
        return body.text


def read(html: str) -> Page:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    left = [element.name for element in reader.open[1:]]
    return Page(reader.root, reader.faults + [f"<{name}> is never closed" for name in left])
