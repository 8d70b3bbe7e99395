"""What took part in a grade besides the student's code: versions and the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import grader


def versions() -> dict[str, str | None]:
    """Return the versions that a report names; None for a package that is not installed.

    torch is asked for in the list of installed packages, so that it need not be imported.
    """
    return {
        "python": platform.python_version(),
        "torch": _installed("torch"),
        "numpy": _installed("numpy"),
        "torch_evidence": grader.__version__,
    }


def machine(device: str = "cpu", threads: int = 1) -> dict[str, Any]:
    """Return what a report says of this machine: memory in [B], load in runnable tasks [1]."""
    return {
        "system": platform.system() or "unknown",
        "release": platform.release(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": usable_cores(),
        "memory": _memory(),
        "device": device,
        "threads": threads,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def usable_cores() -> int | None:
    """Return how many logical processors this process may use, None if unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _installed(package: str) -> str | None:
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
