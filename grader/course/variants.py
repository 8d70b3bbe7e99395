"""A program with a fault at one of several sites: pure text from a sound program and named edits.

`faults.toml` lists the sites. Fault and site of a project follow from its seed alone, so that the
grader can make again what a student was given.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import CourseError, Problem

FAULTS_FILE = "faults.toml"


@dataclass(frozen=True, slots=True)
class Site:
    """One place of a program where one fault can be.

    Attributes:
        fault: Name of the fault.
        name: Name of the place, told apart from the fault's other places.
        edits: Text of the sound program, and what stands there instead, in order.
        needs: What must be there for the fault to show; empty if nothing.
    """

    fault: str
    name: str
    edits: tuple[tuple[str, str], ...]
    needs: str = ""


def read_sites(path: Path) -> tuple[Site, ...]:
    """Read the sites of a `faults.toml`.

    Raises:
        CourseError: if it cannot be read.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["site"]
        return tuple(
            Site(
                table["fault"],
                table["name"],
                tuple((edit["old"], edit["new"]) for edit in table["edits"]),
                table.get("needs", ""),
            )
            for table in tables
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(Problem(str(path), f"cannot be read: {error}")) from error


def faults_of(sites: Sequence[Site]) -> tuple[str, ...]:
    """Return the names of the faults in the order of their first site."""
    return tuple(dict.fromkeys(site.fault for site in sites))


def chosen_site(seed: str, sites: Sequence[Site], has: Collection[str] = ()) -> Site:
    """Return the site that a seed stands for.

    Each fault is as likely as another; so is each of its sites.

    Args:
        seed: Any text.
        sites: All sites.
        has: What is there, so that faults which need it can show.
    """
    digest = hashlib.sha256(f"project/{seed}".encode()).digest()
    seen = [site for site in sites if not site.needs or site.needs in has]
    names = faults_of(seen)
    fault = names[int.from_bytes(digest[:8], "big") % len(names)]
    own = [site for site in seen if site.fault == fault]
    return own[int.from_bytes(digest[8:16], "big") % len(own)]


def with_fault(text: str, site: Site) -> str:
    """Return a sound program with the fault of a site.

    Raises:
        CourseError: if what is to be replaced does not stand there exactly once.
    """
    return edited(text, site.edits, f"{site.fault}, {site.name}")


def edited(text: str, edits: Iterable[tuple[str, str]], where: str) -> str:
    """Return a text with edits made in their order.

    Args:
        text: The text.
        edits: What stands in it exactly once, and what is there instead.
        where: What is edited, for messages.

    Raises:
        CourseError: if what is to be replaced does not stand there exactly once.
    """
    for old, new in edits:
        if text.count(old) != 1:
            seen = f"{old.strip()[:60]!r} stands in the sound text {text.count(old)} times"
            raise CourseError(Problem(where, seen))
        text = text.replace(old, new)
    return text
