"""A lock between processes, held while a file is read and added to."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from grader.errors import LedgerError, Problem

_PATIENCE = 10.0


@contextmanager
def locked(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the lock file `path`; it is freed by the system when the process ends in any way.

    Args:
        path: The lock file, made if it does not exist; its content does not matter.
        patience: How long to wait for another process [s].

    Raises:
        LedgerError: if another process holds it for longer.
    """
    deadline = time.monotonic() + patience
    with path.open("ab") as file:
        while not _take(file):
            if time.monotonic() > deadline:
                seen = f"another run has held the ledger for {patience:g} s"
                raise LedgerError(Problem(str(path), seen, "wait for it to end, then try again"))
            time.sleep(0.02)
        yield


def _take(file: BinaryIO) -> bool:
    """Try to take the lock; it goes when the file is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
