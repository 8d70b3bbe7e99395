"""What a worker uses, as seen from the driver."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

LINUX = sys.platform == "linux"
PAGE = resource.getpagesize()
SLACK = 64 << 20  # thread stacks and arenas count as data without being used
MOST_FILES = 10_000


def cpu(pid: int) -> float:
    """Return the processor time a process has used so far, all its threads together [s]."""
    if LINUX:
        with contextlib.suppress(OSError):
            return time.clock_gettime(((~pid) << 3) | 2)  # the clock of another process, in ns
        return 0.0
    with contextlib.suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def cpu_of_children(pid: int) -> float:
    """Return the processor time of the children a process has reaped [s]. Linux."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def resident(pid: int) -> int:
    """Return the memory a process holds, what it shares included [B]; 0 when it is gone."""
    if LINUX:
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE
        return 0
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


def together(pids: Iterable[int]) -> int:
    """Return the memory several processes hold, shared pages counted once [B]. Linux."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) << 10
    return total


def data(pid: int) -> int:
    """Return the private writable memory a process has reserved, as RLIMIT_DATA counts [B]."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[5]) * PAGE
    return 0


def limit(pid: int, *, memory: int, cpu_seconds: float) -> None:
    """Set what the kernel itself enforces on a worker, beside what the driver watches. Linux.

    Args:
        pid: The worker.
        memory: Reserved private memory at most [B].
        cpu_seconds: Processor time since its start at most [s].
    """
    if not LINUX:
        return
    for what, most in (
        (resource.RLIMIT_DATA, memory + SLACK),
        (resource.RLIMIT_CPU, math.ceil(cpu_seconds) + 1),
    ):
        with contextlib.suppress(OSError, ValueError):
            _, hard = resource.prlimit(pid, what)
            soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, what, (soft, hard))


def folder_size(folder: Path) -> int:
    """Return what the files below a folder take, as far as a quick look can tell [B]."""
    total, seen, waiting = 0, 0, [os.fspath(folder)]
    while waiting and seen < MOST_FILES:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total
