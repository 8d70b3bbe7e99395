"""What a function does to a folder, call by call, with what each call forced to the disk.

While a call is stopped, the folder is exactly what a kill at that call would leave behind, since
what was handed to the kernel outlives a process. What a call did is seen from the folder after it
and not from its arguments: which names lead to which file, and what each file holds. So every way
to write, to link or to rename is seen alike.

Two tools give the same kind of record. ``"system calls"`` stops the calls in the kernel
(`grader.instruments.stopped_calls`). ``"python"`` is for machines that cannot: it looks at the
folder before each C function that Python calls, and does not see the single writes of C++ code.

Blind to: what happens outside the folder, stores through a memory map before the next call, and
whether the disk keeps what `fsync` promised.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.instruments import stopped_calls
from grader.instruments.crash_states import EVERYTHING, Moment

SYSTEM_CALLS, PYTHON = "system calls", "python"

SYNCS = ("fsync", "fdatasync")
SYNCS_ALL = ("sync", "syncfs")
WRITES = (
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "splice", "copy_file_range",
    "fallocate",
)  # fmt: skip


@dataclass
class Record:
    """What a function did.

    Attributes:
        tool: `SYSTEM_CALLS` or `PYTHON`.
        moments: The folder before the first call, then after each call that changed it or forced
            something to the disk.
        stops: How often it was stopped.
        calls: Which calls it made, in order; those that name or write files of other places too.
        raised: Class and message of what it raised; empty if it returned.
    """

    tool: str
    moments: list[Moment] = field(default_factory=list)
    stops: int = 0
    calls: list[str] = field(default_factory=list)
    raised: str = ""


def to_plain(record: Record) -> dict[str, Any]:
    """Return a record as plain data, in which each content stands once."""
    contents: dict[bytes, int] = {}
    moments = [
        {
            "call": moment.call,
            "names": dict(moment.names),
            "files": [
                [file, contents.setdefault(content, len(contents))]
                for file, content in moment.files.items()
            ],
            "synced": list(moment.synced),
        }
        for moment in record.moments
    ]
    rest = {"tool": record.tool, "stops": record.stops, "raised": record.raised}
    return {**rest, "calls": record.calls, "moments": moments, "contents": list(contents)}


def from_plain(data: dict[str, Any]) -> Record:
    """Return the record that `to_plain` made this of."""
    contents = data["contents"]
    moments = [
        Moment(
            moment["call"],
            dict(moment["names"]),
            {file: contents[number] for file, number in moment["files"]},
            tuple(moment["synced"]),
        )
        for moment in data["moments"]
    ]
    return Record(data["tool"], moments, data["stops"], list(data["calls"]), data["raised"])


def watch(
    run: Callable[[], Any],
    folder: Path,
    fails: tuple[str, int] | None = None,
    stage: ModuleType | None = None,
    tool: str = "",
) -> Record:
    """Run a function and record what it does to a folder.

    Args:
        run: The function. With system calls it runs in a child process, whose memory is lost.
        folder: The folder; it exists.
        fails: A call and how many of its kind come before; that one fails with "no space left",
            as on a full disk. Calls that write count only for files. System calls only.
        stage: Where the function lives, so that its own names of `os.fsync` are seen by `PYTHON`.
        tool: One of the two; empty takes the best there is.

    Raises:
        OSError: The tool that was asked for cannot be used here.
    """
    if tool != PYTHON:
        try:
            return _watch_system_calls(run, folder, fails)
        except OSError:
            if tool == SYSTEM_CALLS or fails:
                raise
    return _watch_python(run, folder, stage)


def answers_known_question() -> bool:
    """Whether a file that is written, synchronised and renamed is recorded as that."""
    with tempfile.TemporaryDirectory(prefix="known-") as place:
        folder = Path(place)

        def save() -> None:
            with (folder / "a").open("wb") as file:
                file.write(b"1")
                file.flush()
                os.fsync(file.fileno())
            (folder / "a").replace(folder / "b")

        moments = _watch_python(save, folder, None).moments
    seen = [(moment.names, moment.files, moment.synced) for moment in moments]
    return seen == [
        ({}, {}, ()),
        ({"a": 1}, {1: b""}, ()),
        ({"a": 1}, {1: b"1"}, ()),
        ({"a": 1}, {1: b"1"}, (1,)),
        ({"b": 1}, {1: b"1"}, ()),
    ]


class _Notes:
    """The folder as it was last seen, and the moments so far."""

    def __init__(self, folder: Path, tool: str) -> None:
        self.folder = folder
        self.record = Record(tool)
        self._numbers: dict[int, int] = {}
        self._given = 0
        self._nameless: set[int] = set()
        self._held: dict[bytes, bytes] = {}
        self.note("start", ())

    def note(self, call: str, synced: tuple[int | str, ...]) -> None:
        """Look at the folder after a call; `synced` has inode numbers and folders."""
        names, files = {}, {}
        found = dict(self._look())
        inodes = {inode for inode, _ in found.values()}
        # a number that was free for a while may be given to another file
        self._numbers = {inode: n for inode, n in self._numbers.items() if inode in inodes}
        new = []
        for name, (inode, content) in found.items():
            if inode not in self._numbers:
                self._given += 1
                self._numbers[inode] = self._given
                new.append(inode)
            names[name] = self._numbers[inode]
            files[self._numbers[inode]] = self._held.setdefault(content, content)
        safe: list[int | str] = [inode for inode in new if inode in self._nameless]
        for what in synced:
            if isinstance(what, int) and what not in self._numbers:
                self._nameless.add(what)
            else:
                safe.append(what)
        marks = tuple(self._numbers[what] if isinstance(what, int) else what for what in safe)
        moments = self.record.moments
        if moments and not marks and (names, files) == (moments[-1].names, moments[-1].files):
            return
        moments.append(Moment(call, names, files, marks))

    def _look(self) -> Iterator[tuple[str, tuple[int, bytes]]]:
        for entry in sorted(self.folder.rglob("*")):
            try:
                found = entry.lstat()
                if stat.S_ISREG(found.st_mode):
                    name = entry.relative_to(self.folder).as_posix()
                    yield name, (found.st_ino, entry.read_bytes())
            except OSError:
                continue  # it went away, or may not be read

    def made_safe(self, descriptor: int) -> tuple[int | str, ...]:
        """Return what synchronising a descriptor makes safe."""
        try:
            found = os.fstat(descriptor)
        except OSError:
            return ()
        if not stat.S_ISDIR(found.st_mode):
            return (found.st_ino,)
        folders = [self.folder, *(entry for entry in self.folder.rglob("*") if entry.is_dir())]
        for folder in folders:
            if os.path.samestat(folder.stat(), found):
                name = folder.relative_to(self.folder).as_posix()
                return ("" if name == "." else name,)
        return ()


def _watch_system_calls(
    run: Callable[[], Any], folder: Path, fails: tuple[str, int] | None
) -> Record:
    notes = _Notes(folder, SYSTEM_CALLS)
    record, count = notes.record, Counter[str]()
    last: tuple[str, tuple[int | str, ...]] = ("", ())

    def stop(call: str, arguments: tuple[int, ...]) -> int:
        nonlocal last
        if last[0]:
            notes.note(*last)
        last = (call, ())
        descriptor = arguments[0] & 0xFFFFFFFF
        if call in WRITES and not _is_file(descriptor):
            return 0
        record.stops += 1
        record.calls.append(call)
        count[call] += 1
        if fails == (call, count[call] - 1):
            return errno.ENOSPC
        if call in SYNCS_ALL:
            last = (call, (EVERYTHING,))
        elif call in SYNCS or (call in WRITES and _is_synchronous(descriptor)):
            last = (call, notes.made_safe(descriptor))
        return 0

    record.raised = stopped_calls.run_stopped(run, stop)
    if last[0]:
        notes.note(*last)
    return record


def _is_file(descriptor: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _is_synchronous(descriptor: int) -> bool:
    try:
        return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_DSYNC)
    except OSError:
        return False


def _watch_python(run: Callable[[], Any], folder: Path, stage: ModuleType | None) -> Record:
    notes = _Notes(folder, PYTHON)
    record = notes.record

    def look(frame: Any, event: str, function: Any) -> None:
        if event in ("c_call", "c_return", "c_exception"):
            name = getattr(function, "__name__", "call")
            record.stops += event == "c_call"
            notes.note(name if event != "c_call" else "call", ())

    def safe(name: str, synced: tuple[int | str, ...]) -> None:
        profile = sys.getprofile()
        sys.setprofile(None)
        record.calls.append(name)
        notes.note(name, synced)
        sys.setprofile(profile)

    with _told_of_syncs(notes, safe, [os, *([stage] if stage else [])]):
        sys.setprofile(look)
        try:
            run()
        except BaseException as error:
            record.raised = f"{type(error).__name__}: {error}"
        finally:
            sys.setprofile(None)
    notes.note("return", ())
    return record


@contextmanager
def _told_of_syncs(
    notes: _Notes, safe: Callable[[str, tuple[int | str, ...]], None], modules: list[Any]
) -> Iterator[None]:
    """Put functions that tell in the place of those that synchronise, wherever they are named."""

    def telling(name: str) -> Callable[..., Any]:
        plain = getattr(os, name)

        def tell(*descriptors: Any) -> Any:
            answer = plain(*descriptors)
            at = descriptors[0] if descriptors else -1
            number = at if isinstance(at, int) else at.fileno()
            safe(name, notes.made_safe(number) if descriptors else (EVERYTHING,))
            return answer

        return tell

    put: list[tuple[Any, str, Any]] = []
    for name in ("fsync", "fdatasync", "sync"):
        plain, told = getattr(os, name, None), None
        for module in modules if plain is not None else ():
            for own in [own for own, value in vars(module).items() if value is plain]:
                told = told or telling(name)
                put.append((module, own, plain))
                setattr(module, own, told)
    try:
        yield
    finally:
        for module, own, plain in put:
            setattr(module, own, plain)
