"""Which paths a worker may read: allowed folders, less what is hidden inside them.

The most specific word counts. A hidden folder inside an allowed one is shut; a file allowed by
name inside a hidden folder, such as the probes, is open.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


class Grants:
    """The readable paths, and the hidden ones."""

    def __init__(self, allowed: Iterable[str], hidden: Iterable[str]) -> None:
        """Take real places, as `os.path.realpath` gives them: no link leads around a rule then."""
        self._allowed = set(allowed)
        self._hidden = set(hidden) - self._allowed

    def readable(self, path: str) -> bool:
        """Return whether a path, resolved to its real place, may be read."""
        real = os.path.realpath(path)
        while True:
            if real in self._allowed:
                return True
            if real in self._hidden or real == os.sep:
                return os.sep in self._allowed and real not in self._hidden
            real = real.rpartition(os.sep)[0] or os.sep

    def open_paths(self) -> Iterator[Path]:
        """Yield what may be opened whole: folders and files with nothing hidden inside."""
        for path in sorted(self._allowed):
            yield from self._open_below(path)

    def _open_below(self, path: str) -> Iterator[Path]:
        prefix = path.rstrip(os.sep) + os.sep
        inside = [hidden for hidden in self._hidden if hidden.startswith(prefix)]
        if not inside:
            yield Path(path)
            return
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            # A link is skipped: what it points to must be allowed in its own right.
            if entry.path not in self._hidden and not entry.is_symlink():
                yield from self._open_below(entry.path)
