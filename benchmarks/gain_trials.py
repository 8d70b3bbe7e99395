"""Ask for the verdict on a gain again and again, where the truth is known.

Identical code must never be called a gain or slower, idle or with every processor kept busy, and is
to be *null* in 95 of 100 idle trials. Code that does the same work for 1 / 1.3 of the cost is to be
a gain in 95 of 100 idle trials and never slower. What cannot be said is inconclusive or void.

Prints JSON; the exit status is 1 when one of these does not hold.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import click
import numpy as np

from benchmarks.busy import busy_cores
from grader.instruments.gain import decide

FASTER = 1.3
"""How much faster the variant of the third trial is [1]."""

_PIECES = 30  # pieces of work in one call of the variant; the base does 1.3 times as many
_SIZE = 96  # rows of the square matrices of one piece, some 30 us


def work(pieces: int) -> Callable[[], object]:
    """Return a step of so many equal pieces of work, each the same matrix product."""
    matrix = np.random.default_rng(0).standard_normal((_SIZE, _SIZE))
    out = np.empty_like(matrix)

    def step() -> object:
        for _ in range(pieces):
            np.matmul(matrix, matrix, out=out)
        return out

    return step


def trials(count: int, base: int, *, busy: bool) -> Counter[str]:
    """Return how often each verdict was given on `base` pieces against `_PIECES`."""
    states: Counter[str] = Counter()
    with busy_cores() if busy else nullcontext():
        for seed in range(count):
            _, verdict = decide(work(base), work(_PIECES), seed=seed, budget=10.0)
            states[verdict.state] += 1
            click.echo(f"{seed + 1}/{count} {verdict.note}", err=True)
    return states


def summary(count: int) -> tuple[dict[str, Any], list[str]]:
    """Return the verdicts of all trials, and what should not have been."""
    faster = round(FASTER * _PIECES)
    found = {
        "identical, idle": trials(count, _PIECES, busy=False),
        "identical, busy": trials(count, _PIECES, busy=True),
        "1.3 times faster, idle": trials(count, faster, busy=False),
    }
    wrong = [
        f"{name}: called {state}"
        for name, states in found.items()
        for state in ("gain", "slower")
        if states[state] and (state == "slower" or "identical" in name)
    ]
    for name, state in (("identical, idle", "null"), ("1.3 times faster, idle", "gain")):
        if found[name][state] < 0.95 * count:
            wrong.append(f"{name}: {state} in {found[name][state]} of {count}")
    return {name: dict(states) for name, states in found.items()}, wrong


@click.command()
@click.option("--trials", "count", default=100, show_default=True, help="Trials of each kind.")
def main(count: int) -> None:
    """Count the verdicts on identical and on faster code."""
    found, wrong = summary(count)
    click.echo(json.dumps({"verdicts": found, "wrong": wrong}, indent=2))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
