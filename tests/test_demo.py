"""The demonstration that the README promises: one realistic mistake, caught and named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from examples.demo import MISTAKE, UNIT
from grader.course.catalog import find_unit, units
from grader.course.content import installed_content
from grader.course.faults import load_faults

ROOT = Path(__file__).resolve().parent.parent


def test_the_demo_shows_one_mistake_by_name_and_leaves_nothing_behind() -> None:
    content = installed_content()
    unit = find_unit(UNIT, units(content))
    (mistake,) = (f for f in load_faults(unit, content.solutions) if f.id == MISTAKE)
    before = set(ROOT.iterdir())
    shown = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert mistake.says in words
    assert "prediction strong" in words
    assert "timing none" in words
    assert "optimization validity strong" in words
    assert set(ROOT.iterdir()) == before
