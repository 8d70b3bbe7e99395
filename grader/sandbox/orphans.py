"""No process outlives its worker: adopt orphans, find them, kill them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.libc import LIBC

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
ROUNDS = 1000

LINUX = sys.platform == "linux"


def prctl(option: int, *values: int) -> None:
    """Set one property of this process.

    Raises:
        OSError: The kernel refuses it.
    """
    four = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0)[:4]]
    if LIBC.prctl(option, *four) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def adopt() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Be killed when the process that started this one ends."""
    if LINUX:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def threads_of_this_process() -> int:
    """Return how many threads this process has; 1 where the system does not tell."""
    return len(list(Path("/proc/self/task").iterdir())) if LINUX else 1


@dataclass(frozen=True, slots=True)
class Process:
    """One process of this machine; a zombie has ended and waits for its parent to notice."""

    pid: int
    parent: int
    zombie: bool


def processes() -> Iterator[Process]:
    """Yield the processes that can be seen."""
    for folder in Path("/proc").iterdir() if LINUX else ():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The command may contain spaces and brackets; its last bracket ends it.
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                yield Process(int(folder.name), int(fields[1]), fields[0] in b"ZX")


def descendants(root: int) -> set[int]:
    """Return the living processes below one, itself not included."""
    return _below(root, _living())


def family(worker: int, strangers: Collection[int]) -> set[int]:
    """Return the living processes that a worker started, however they hid, without itself.

    An orphan of the worker is a child of its zygote, or of the first process of its namespace.
    So the worker's own are all that live in its process namespace, or, where it shares that with
    its zygote, all below the zygote that belong to no other worker.

    Args:
        worker: The worker.
        strangers: The other workers of the same zygote.
    """
    living = _living()
    zygote = living.get(worker)
    if zygote is None:
        return set()
    below = _below(zygote, living)
    own = _namespace(worker)
    if own != _namespace(zygote):
        return {
            pid for pid in below if living[pid] != zygote and own and _namespace(pid) == own
        } - {worker}
    theirs = set(strangers).union(*(_below(stranger, living) for stranger in strangers))
    return below - theirs - {worker}


def _living() -> dict[int, int]:
    return {process.pid: process.parent for process in processes() if not process.zombie}


def _below(root: int, parents: Mapping[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = set(children.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return ""


def sweep(spare: Collection[int]) -> int:
    """Kill and reap all children of this process but the spared ones; return how many.

    A killed child's own children become ours, so rounds go on until there is none.
    """
    count = 0
    for _ in range(ROUNDS):
        if not spare and not _has_children():
            break
        me = os.getpid()
        found = [it.pid for it in processes() if it.parent == me and it.pid not in spare]
        if not found:
            break
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none forks on
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
                count += 1
    return count


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
