"""Write a file so that a crash, or a full disk, leaves the old content or the new, never half."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all.

    The bytes go to a file in the same folder, reach the disk, and take the old file's place in one
    step; whatever fails on the way leaves the old file as it was, and no other file.

    Raises:
        OSError: if the disk or the folder refuses.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        try:
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        draft.chmod(0o644)
        os.replace(draft, path)  # noqa: PTH105 - the call whose atomicity this module rests on
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    sync_folder(path.parent)


def write_all(handle: int, content: bytes) -> None:
    """Write all of `content`; one `os.write` may take only part of it when the disk fills up."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(folder: Path) -> None:
    """Make a new name last through a power cut, where folders can be opened at all."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
