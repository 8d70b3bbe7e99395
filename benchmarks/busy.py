"""Keep processors busy for a while, so that a measurement can be tried under load."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SPIN = "while True: sum(i * i for i in range(10_000))"


@contextmanager
def busy_cores(count: int | None = None) -> Iterator[None]:
    """Run one endless computation for each of `count` processors (all of them by default)."""
    number = count if count is not None else len(os.sched_getaffinity(0))
    hogs = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(number)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
