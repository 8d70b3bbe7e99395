"""Hidden checks of atomic_write: kills at each call and byte, power loss, a full disk.

A worker that may start a process stops the writer at each of its system calls; what the folder
holds then is what a kill leaves (`grader.instruments.file_calls`). What a power loss leaves follows
from the order of the calls (`grader.instruments.crash_states`). Kills at a byte are real ones, by
the limit on the size of a file.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from grader.checks import check
from grader.instruments import crash_states, file_calls
from grader.sandbox.limits import Limits

from .watching import after_the_rename, before_the_rename, left_at_the_end, watcher

FOLDER, NAME = "run", "run/state.bin"


def _file(student: Any, old: bytes | None) -> Path:
    """Return the file that is written, with its old content."""
    file = Path(student.scratch, NAME)
    shutil.rmtree(file.parent, ignore_errors=True)
    file.parent.mkdir()
    if old is not None:
        file.write_bytes(old)
    return file


def _held(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _watch(
    student: Any, old: bytes | None, new: bytes, fails: tuple[str, int] | None = None
) -> file_calls.Record:
    """Watch one write; return what it did."""
    file = _file(student, old)
    case = {"file": str(file), "data": new, "root": student.scratch}
    if fails:
        case["fails"] = list(fails)
    seen = watcher(student).run("atomic_watched", case)
    record = file_calls.from_plain(seen)
    student.output.append(f"[grader: stopped {record.stops} times, by {record.tool}]\n")
    return record


def _written(student: Any, expect: Any, old: bytes | None, new: bytes) -> file_calls.Record:
    """Watch one write that must succeed."""
    record = _watch(student, old, new)
    expect.that(not record.raised, f"atomic_write raised {record.raised}.")
    found = record.moments[-1]
    held = found.files.get(found.names.get(NAME, -1))
    expect.that(held == new, "After atomic_write the file does not hold the new content.")
    return record


def _calls(record: file_calls.Record) -> str:
    return " ".join(record.calls)


def _contents(draw: Any) -> tuple[bytes, bytes]:
    """Return an old and a new content."""
    sizes = draw.integer(2000, 4000), draw.integer(15000, 25000)
    old, new = (draw.rng.bytes(size) for size in sizes)
    return old, new


@check("8.7.e", row="resume", level="strong")
def test_a_kill_at_each_call_leaves_old_or_new(student, draw, expect):
    """Killed at any of its system calls, the old or the new content is there, whole."""
    old, new = _contents(draw)
    for before in (old, None):
        record = _written(student, expect, before, new)
        crashes = crash_states.kill_states(record.moments)
        bad = crash_states.first_bad(crashes, [before, new], NAME)
        shown = crash_states.timeline(record.moments, bad, [NAME], "kill") if bad else ""
        message = f"A kill leaves neither the old nor the new content.\n{shown}"
        expect.that(bad is None, message, _calls(record))
        made = {name for moment in record.moments for name in moment.names}
        empty = _written(student, expect, before, b"")
        made |= {name for moment in empty.moments for name in moment.names}
        away = sorted(name for name in made if not name.startswith(f"{FOLDER}/"))
        where = f"A file is made outside the folder of the target: {', '.join(away[:3])}."
        expect.that(not away, f"{where} A rename is atomic within a file system only.")


@check("8.7.e", row="resume", level="strong")
def test_a_kill_at_any_byte_leaves_the_old(student, draw, expect):
    """Killed by the kernel in the middle of the bytes, the old content is there, whole."""
    old, new = _contents(draw)
    for at in (1, draw.integer(2, len(new) // 2), draw.integer(len(new) // 2, len(new) - 1)):
        file = _file(student, old)
        killed = student.fresh(Limits(file=at))
        answer = killed.attempt("atomic_killed", {"file": str(file), "data": new})
        seen = answer.error.type if answer.error else answer.status
        died = answer.status == "ended"
        expect.that(died, f"A file of {at} B is all that fits, and the write did not notice.", seen)
        held = _held(file)
        size = "no file" if held is None else f"a file of {len(held)} B"
        message = f"Killed at byte {at} of {len(new)}: {size} is left where {len(old)} B were."
        expect.that(held == old, message)


@check("8.7.e", row="resume", level="strong")
def test_a_power_loss_leaves_old_or_new(student, draw, expect):
    """After a power loss at any moment, the old or the new content is there, whole."""
    old, new = _contents(draw)
    for before in (old, None):
        record = _written(student, expect, before, new)
        crashes = crash_states.power_loss_states(record.moments)
        bad = crash_states.first_bad(crashes, [before, new], NAME)
        shown = crash_states.timeline(record.moments, bad, [NAME]) if bad else ""
        message = "This is safe against a kill and not against a power loss, which may leave this"
        expect.that(bad is None, f"{message}:\n{shown}", _calls(record))


@check("8.7.e", row="resume", level="strong")
def test_the_new_content_is_safe_on_return(student, draw, expect):
    """Once the function has returned, no power loss brings the old content back."""
    old, new = _contents(draw)
    for before in (old, None):
        record = _written(student, expect, before, new)
        back = [c for c in left_at_the_end(record) if c.folder.get(NAME) == before]
        shown = crash_states.timeline(record.moments, back[0], [NAME]) if back else ""
        what = "the old content is back" if before is not None else "there is no file"
        message = f"The function has returned, the power fails, and {what}"
        expect.that(not back, f"{message}:\n{shown}", _calls(record))


@check("8.7.e", row="resume", level="strong")
def test_a_full_disk_leaves_the_old(student, draw, expect):
    """When the disk is full, the error is raised, the old content stays, and nothing else."""
    old, new = _contents(draw)
    for at in (1, draw.integer(2, len(new) - 1)):
        file = _file(student, old)
        full = student.fresh(Limits(file=at))
        raised = full.run("atomic_refused", {"file": str(file), "data": new})
        _unharmed(expect, file, old, raised, f"the disk is full after {at} of {len(new)} B")
    record = _watch(student, old, new)
    if record.tool != file_calls.SYSTEM_CALLS:
        return
    file = Path(student.scratch, NAME)
    for call in before_the_rename(record):
        failed = _watch(student, old, new, (call, 0))
        words = f"{call} fails with 'no space left on device', before the file has its name"
        _unharmed(expect, file, old, failed.raised.split(":")[:1], words)
    late = after_the_rename(record)
    if late:
        failed = _watch(student, old, new, late)
        left = left_at_the_end(failed)
        safe = all(crash.folder.get(NAME) == new for crash in left)
        message = (
            f"When {late[0]} fails after the rename, atomic_write returns as if all were well, "
            "and a power loss may bring the old content back. Raise the error."
        )
        expect.that(bool(failed.raised) or safe, message, " ".join(failed.calls))


def _unharmed(expect: Any, file: Path, old: bytes, raised: list[str], why: str) -> None:
    """Expect an error of the system, the old content, and no other file."""
    expect.that("OSError" in raised, f"When {why}, no OSError is raised.", raised[:1])
    held = _held(file)
    expect.that(held == old, f"When {why}, the old content does not stay.")
    there = sorted(entry.name for entry in file.parent.iterdir() if entry != file)
    expect.that(not there, f"When {why}, a file is left over.", there[:3])


@check("8.7.e", row="resume")
def test_bad_places_and_kinds_are_refused(student, reference, draw, expect):
    """A folder that is missing or may not be written, and text as data, raise; nothing changes."""
    old, new = _contents(draw)
    file = _file(student, old)
    new = new[: len(new) // 8 * 8]
    for kind in ("bytearray", "memoryview", "memoryview of floats"):
        case = {"file": str(file), "data": new, "kind": kind, "as_path": True}
        raised = student.run("atomic_refused", case)
        good = not raised and file.is_file() and file.read_bytes() == new
        expect.that(good, f"A {kind} as data, and a Path, must be written.", raised[:1])
    file.write_bytes(old)
    case = {"folder": str(file.parent), "name": file.name, "data": new}
    raised = student.run("atomic_relative", case)
    good = not raised and _held(file) == new
    expect.that(good, "A name without a folder means the folder one is in.", raised[:1])
    file.write_bytes(old)
    for kind in ("text", "a list of numbers", "a number", "None"):
        case = {"file": str(file), "data": b"text", "kind": kind}
        raised, words = student.run("atomic_refused", case), f"{kind.capitalize()} as data must"
        expect.that("TypeError" in raised, f"{words} raise TypeError.", raised[:1])
        there = [entry.name for entry in file.parent.iterdir()]
        expect.that(_held(file) == old, f"{words} not touch the old content.")
        expect.that(there == [file.name], f"{words} not leave a file.", there)
    away = Path(student.scratch, "nowhere", "state.bin")
    raised = student.run("atomic_refused", {"file": str(away), "data": new})
    gone = "FileNotFoundError" in raised
    expect.that(gone, "A folder that does not exist must raise FileNotFoundError.", raised[:1])
    expect.that(not away.parent.exists(), "A folder that does not exist must not be made.")
    for subject in (reference, student):
        locked = _file(subject, old)
        locked.parent.chmod(0o555)
        try:
            raised = subject.run("atomic_refused", {"file": str(locked), "data": new})
        finally:
            locked.parent.chmod(0o755)
        if subject is reference and not raised:
            return  # this user may write everywhere
    _unharmed(expect, locked, old, raised, "the folder may not be written")


@check("8.7.e", row="resume")
def test_what_a_killed_call_left_does_not_disturb(student, draw, expect):
    """With the leftovers of a killed call in the folder, the next call writes its content."""
    old, new = _contents(draw)
    record = _written(student, expect, old, new)
    littered = [
        crash.folder
        for crash in crash_states.kill_states(record.moments)
        if any(name.startswith(f"{FOLDER}/") and name != NAME for name in crash.folder)
    ]
    last = draw.rng.bytes(500)  # shorter than what may be left in a file of the same name
    for folder in littered[-2:]:
        file = _file(student, old)
        for name, content in folder.items():
            if name.startswith(f"{FOLDER}/"):
                Path(student.scratch, name).write_bytes(content)
        raised = student.run("atomic_refused", {"file": str(file), "data": last})
        left = next(name for name in folder if name != NAME and name.startswith(f"{FOLDER}/"))
        words = f"A killed call left {Path(left).name}, and the next call"
        expect.that(not raised, f"{words} raised.", raised[:1])
        expect.that(_held(file) == last, f"{words} did not write its content.")
