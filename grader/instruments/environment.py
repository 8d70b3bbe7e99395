"""What a measurement or a grade ran under, as plain data: versions, machine, threads, load.

Nothing here decides anything; the figures go into a record so that a person can judge it later.

Blind to: who else uses the machine when it is virtual (the load figures are this system's own),
frequency changes, and what the BLAS library does on its own threads.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

import grader


def versions() -> dict[str, str | None]:
    """Return the versions that take part; None for a package that is not installed.

    torch is asked for in the list of installed packages, so that it need not be imported.
    """
    return {
        "python": platform.python_version(),
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "torch_evidence": grader.__version__,
    }


def machine(device: str = "cpu", threads: int = 1) -> dict[str, Any]:
    """Return what a report says of this machine: memory in [B], load in runnable tasks [1]."""
    load = load_average()
    return {
        "system": platform.system() or "unknown",
        "release": platform.release(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": usable_cores(),
        "memory": _memory(),
        "device": device,
        "threads": threads,
        "load": round(load, 2) if load is not None else None,
    }


def describe() -> dict[str, Any]:
    """Return what goes into the record of times; what cannot be read is None.

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
        "cpus": usable_cores(),
        "threads": torch.get_num_threads() if torch else None,
        "load": load_average(),
        "cpu_pressure": cpu_pressure(),
    }


def usable_cores() -> int | None:
    """Return how many logical processors this process may use, None if unknown."""
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
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the processor's name, empty when the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "")


def _memory() -> int | None:
    """Return the main memory [B], None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
