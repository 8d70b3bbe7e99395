"""What a measurement ran under, as plain data: versions, threads, load.

Nothing here decides anything; the figures go into a record so that a person can judge it later.

Blind to: who else uses the machine when it is virtual (the load figures are this system's own),
frequency changes, and what the BLAS library does on its own threads.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Return versions, the machine, threads and load; what cannot be read is None.

    ``threads`` is torch's number of compute threads, None when torch was not imported: it is not
    imported here.
    """
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": usable_cpus(),
        "threads": torch.get_num_threads() if torch else None,
        "load": load_average(),
        "cpu_pressure": cpu_pressure(),
    }


def usable_cpus() -> int | None:
    """Return how many CPUs this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def load_average() -> float | None:
    """Return the mean number of runnable tasks over the last minute."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def cpu_pressure() -> float | None:
    """Return the share of the last 10 s in which some task waited for a CPU [%], Linux only."""
    try:
        text = Path("/proc/pressure/cpu").read_text(encoding="ascii")
        return float(text.split("avg10=")[1].split()[0])
    except (OSError, IndexError, ValueError):
        return None


def _version(package: str) -> str | None:
    """Return an installed package's version."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
