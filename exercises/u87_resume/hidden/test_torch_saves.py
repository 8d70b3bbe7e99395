"""Hidden checks of save_checkpoint and load_latest: kills, power loss, full disks, damaged files.

How kills and power losses are found is told in `test_numpy_atomic.py`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grader.checks import check
from grader.instruments import crash_states, file_calls
from grader.instruments.crash_states import Crash
from grader.sandbox.limits import Limits

from .watching import after_the_rename, before_the_rename, left_at_the_end, watcher

FOLDER = "checkpoints"
ENOUGH = 80


def _name(step: int) -> str:
    return f"step-{step:08d}.pt"


def _known(record: file_calls.Record) -> set[str]:
    """Return the names of checkpoints that a record has; all others are temporary files."""
    names = {name for moment in record.moments for name in moment.names}
    return {name for name in names if re.fullmatch(r"step-\d+\.pt", name)}


def _prepare(subject: Any, steps: Sequence[int], folder: str = FOLDER) -> Path:
    """Return a folder with sound checkpoints of these steps and nothing else."""
    place = Path(subject.scratch, folder)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    subject.run("prepared", {"folder": str(place), "steps": list(steps)})
    return place


def _watch(
    subject: Any, steps: Sequence[int], new: int, keep: int, fails: tuple[str, int] | None = None
) -> file_calls.Record:
    """Watch the save of a checkpoint beside older ones; names are those below the folder."""
    place = _prepare(subject, steps)
    case: dict[str, Any] = {"folder": str(place), "root": str(place), "step": new, "keep": keep}
    if fails:
        case["fails"] = list(fails)
    record = file_calls.from_plain(watcher(subject).run("save_watched", case))
    subject.output.append(f"[grader: stopped {record.stops} times, by {record.tool}]\n")
    return record


def _loaded(subject: Any, crashes: Iterable[Crash], probe: str) -> list[tuple[Crash, Any]]:
    """Put each different folder on the disk, load from it, and return what came."""
    different: dict[tuple[Any, ...], Crash] = {}
    for crash in crashes:
        if len(different) < ENOUGH:
            different.setdefault(tuple(sorted(crash.folder.items())), crash)
    root = Path(subject.scratch, "states")
    folders = []
    for number, crash in enumerate(different.values()):
        place = root / str(number)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name, content in crash.folder.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(content)
        folders.append(str(place))
    seen = subject.run(probe, {"folders": folders})
    return list(zip(different.values(), seen, strict=True))


def _expect_each(  # noqa: PLR0917 - all but two are the case
    student: Any, expect: Any, record: file_calls.Record, crashes: list[Crash], steps: set[int],
    kind: str, message: str,
) -> None:  # fmt: skip
    """Expect every state of the folder to load one of these steps, whole."""
    crashes = sorted(crashes, key=lambda crash: (len(crash.lost), crash.after))
    for crash, found in _loaded(student, crashes, "loaded_for_sure"):
        good = found["same"] is True and found["step"] in steps
        if not good:
            what = "nothing loads" if found["step"] is None else f"step {found['step']} loads"
            shown = crash_states.timeline(record.moments, crash, _known(record), kind)
            expect.unmet(f"{message}: {what}.\n{shown}", got=" ".join(record.calls))


def _saved(student: Any, expect: Any, keep: int, old: int, new: int) -> file_calls.Record:
    record = _watch(student, [old - 2, old], new, keep)
    expect.that(not record.raised, f"save_checkpoint raised {record.raised}.")
    there = _name(new) in record.moments[-1].names
    expect.that(there, f"save_checkpoint left no {_name(new)}.", sorted(record.moments[-1].names))
    return record


def _over_what_is_left(
    student: Any, expect: Any, record: file_calls.Record, crashes: list[Crash], old: int, new: int
) -> None:
    """Expect a save to succeed in a folder in which a killed one has left a temporary file."""
    known = _known(record)
    littered = [crash.folder for crash in crashes if set(crash.folder) - known]
    for folder in littered[-1:]:
        place = _prepare(student, [old])
        left = sorted(set(folder) - known)
        for name in left:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(folder[name])
        case = {"folder": str(place), "step": new, "keep": 1}
        raised = student.run("save_refused", case)
        words = f"A killed save of step {new} left {left[0]}, and the next one"
        expect.that(not raised, f"{words} raised.", raised[:1])
        (found,) = student.run("loaded_for_sure", {"folders": [str(place)]})
        good = found["same"] is True and found["step"] == new
        expect.that(good, f"{words} left no checkpoint that loads.")


def _steps(draw: Any) -> tuple[int, int]:
    old = draw.integer(5, 50)
    return old, old + draw.integer(1, 9)


@check("8.7.h", row="resume", level="strong")
def test_a_kill_at_each_call_leaves_one_that_loads(student, draw, expect):
    """Killed at any system call or at any byte, the previous checkpoint or the new one loads."""
    old, new = _steps(draw)
    record = _saved(student, expect, 1, old, new)
    crashes = list(crash_states.kill_states(record.moments))
    message = f"Step {old} was there, step {new} was being saved, a kill came"
    _expect_each(student, expect, record, crashes, {old, new}, "kill", message)
    _over_what_is_left(student, expect, record, crashes, old, new)
    record = _watch(student, [old], old, 1)
    crashes = crash_states.kill_states(record.moments)
    message = f"Step {old} was there and was being saved again, a kill came"
    _expect_each(student, expect, record, crashes, {old}, "kill", message)
    for at in (1, draw.integer(2, 6000)):
        place = _prepare(student, [old - 2, old])
        case = {"folder": str(place), "step": new, "keep": 1}
        answer = student.fresh(Limits(file=at)).attempt("save_killed", case)
        seen = answer.error.type if answer.error else answer.status
        died = answer.status == "ended"
        expect.that(died, f"A file of {at} B is all that fits, and the save did not notice.", seen)
        (found,) = student.run("loaded_for_sure", {"folders": [str(place)]})
        good = found["same"] is True and found["step"] == old
        what = "nothing" if found["step"] is None else f"step {found['step']}"
        expect.that(good, f"Killed at byte {at} of the save of step {new}, {what} loads.")


@check("8.7.h", row="resume", level="strong")
def test_a_power_loss_leaves_one_that_loads(student, draw, expect):
    """After a power loss at any moment, the previous checkpoint or the new one loads."""
    old, new = _steps(draw)
    record = _saved(student, expect, 1, old, new)
    crashes = list(crash_states.power_loss_states(record.moments))
    message = (
        f"Step {old} was there, step {new} was being saved, the power failed (a kill at this "
        "place would have done no harm)"
    )
    _expect_each(student, expect, record, crashes, {old, new}, "power loss", message)


@check("8.7.h", row="resume", level="strong")
def test_the_new_one_is_safe_on_return(student, draw, expect):
    """Once the function has returned, the new checkpoint survives a power loss."""
    old, new = _steps(draw)
    record = _saved(student, expect, 3, old, new)
    gone = [crash for crash in left_at_the_end(record) if _name(new) not in crash.folder]
    shown = crash_states.timeline(record.moments, gone[0], _known(record)) if gone else ""
    message = f"The save of step {new} has returned, the power fails, and its file is not there"
    expect.that(not gone, f"{message}:\n{shown}", " ".join(record.calls))


@check("8.7.h", row="resume", level="strong")
def test_a_failed_save_leaves_the_old_ones(student, reference, draw, expect):
    """On a full disk and in a read-only folder the save raises, and the folder is as it was."""
    old, new = _steps(draw)
    steps = [old - 2, old]
    names = [_name(step) for step in steps]

    def unharmed(
        place: Path, why: str, raised: Any, kinds: Any = ("OSError", "RuntimeError")
    ) -> None:
        failed = bool(set(kinds) & set(raised))
        expect.that(failed, f"When {why}, save_checkpoint must raise.", raised[:1])
        there = sorted(entry.name for entry in place.iterdir())
        expect.equal(there, names, what=f"the folder after a save that failed because {why}")
        (found,) = student.run("loaded_for_sure", {"folders": [str(place)]})
        good = found["same"] is True and found["step"] == old
        expect.that(good, f"When {why}, step {old} does not load any more.")

    for at in (1, draw.integer(2, 6000)):
        place = _prepare(student, steps)
        case = {"folder": str(place), "step": new, "keep": 1}
        raised = student.fresh(Limits(file=at)).run("save_refused", case)
        unharmed(place, f"the disk is full after {at} B", raised)
    place = _prepare(student, steps)
    case = {"folder": str(place), "step": new, "keep": 1, "odd": True}
    raised = student.run("save_refused", case)
    unharmed(place, "torch.save cannot pickle the state", raised, ["Exception"])
    record = _watch(student, steps, new, 3)
    if record.tool == file_calls.SYSTEM_CALLS:
        place = Path(student.scratch, FOLDER)
        for call in before_the_rename(record):
            if call in file_calls.WRITES:
                continue  # the full disks above
            failed = _watch(student, steps, new, 1, (call, 0))
            raised = failed.raised.split(":")[:1]
            unharmed(place, f"{call} fails with 'no space left', before the rename", raised)
        late = after_the_rename(record)
        if late:
            failed = _watch(student, steps, new, 1, late)
            safe = all(_name(new) in crash.folder for crash in left_at_the_end(failed))
            there = [name for name in names if name in failed.moments[-1].names]
            words = f"{late[0]} fails after the rename, so that the new name may not be on the disk"
            expect.that(bool(failed.raised) or safe, f"When {words}, save_checkpoint must raise.")
            message = f"When {words}, the old checkpoints must stay"
            expect.that(safe or there == names, f"{message}.", there)
    for subject in (reference, student):
        place = _prepare(subject, steps)
        case = {"folder": str(place), "step": new, "keep": 1}
        place.chmod(0o555)
        try:
            raised = subject.run("save_refused", case)
        finally:
            place.chmod(0o755)
        if subject is reference and not raised:
            return  # this user may write everywhere
    unharmed(place, "the folder may not be written", raised)


@check("8.7.h", row="resume")
def test_the_file_is_the_state_under_its_name(student, draw, expect):
    """Each save leaves one file named by its step, which torch.load gives back bit for bit."""
    place = _prepare(student, [])
    steps = [draw.integer(0, 9), draw.integer(100, 999), 123456789]
    seen = student.run("saved", {"folder": str(place), "steps": [*steps, steps[-1]]})["after"]
    for number, (step, after) in enumerate(zip([*steps, steps[-1]], seen, strict=True)):
        name = _name(step)
        names = sorted(_name(other) for other in steps[: number + 1])
        expect.equal(after["there"], names, what=f"the folder after saving step {step}")
        message = f"{name} does not give back, with weights_only=True, the state that was saved."
        expect.that(after["same"], message)
        expect.that(after["kept"], "save_checkpoint changed the state.")
        right = Path(after["path"]).resolve() == (place / name).resolve()
        expect.that(right, "save_checkpoint does not return the path of the file.", after["path"])


@check("8.7.h", row="resume")
def test_the_highest_steps_are_kept(student, draw, expect):
    """The `keep` highest steps and the new one stay, by number; other files are let alone."""
    first = draw.integer(2, 8)
    steps = [first, first + 4, 99_999_998, 100_000_002]
    place = _prepare(student, steps)
    others = [
        "best.pt", "step-best.pt", "notes.txt", "old-step-00000001.pt", "step-00000001.pt.bak",
        "step-00000001-old.pt",
    ]  # fmt: skip
    for other in others:
        (place / other).write_bytes(b"mine")
    new = [100_000_005, first + 2]
    case = {"folder": str(place), "steps": new, "named": {"keep": 2}}
    seen = student.run("saved", case)["after"]
    kept = [{100_000_002, 100_000_005}, {100_000_002, 100_000_005, first + 2}]
    for step, after, left in zip(new, seen, kept, strict=True):
        names = sorted([*others, *map(_name, left)])
        what = f"the folder after saving step {step} with keep=2 beside the steps {steps}"
        expect.equal(after["there"], names, what=what)
        right = Path(after["path"]).resolve() == (place / _name(step)).resolve()
        expect.that(right, "save_checkpoint does not return the path of the file.", after["path"])
    contents = [(place / other).read_bytes() == b"mine" for other in others]
    expect.that(all(contents), "save_checkpoint changed a file that is no checkpoint.")
    for keep in (0, -1):
        case = {"folder": str(place), "step": 100_000_009, "keep": keep}
        raised = student.run("save_refused", case)
        expect.that("ValueError" in raised, f"keep={keep} must raise ValueError.", raised[:1])
        there = sorted(entry.name for entry in place.iterdir())
        expect.equal(there, names, what=f"the folder after a save with keep={keep}")


@check("8.7.i", row="resume")
def test_the_newest_whole_one_is_loaded(student, draw, expect):
    """Of the checkpoints that are whole, the one with the highest step is loaded."""
    first = draw.integer(3, 8)
    high = 100_000_000 + draw.integer(0, 9)
    # torch.load raises another kind of error for each
    texts = (b"no zip", b"\x80", b"hello world\n", b"GIF89a")
    garbage = {_name(11 + number): text for number, text in enumerate(texts)}
    cases: list[tuple[str, list[int], dict[str, Any], int]] = [
        ("three checkpoints", [first, first + 7, first + 2], {}, first + 7),
        ("a step of nine digits", [99_999_999, high], {}, high),
        ("the newest cut short", [first, first + 1], {_name(first + 1): 0.5}, first),
        ("the newest cut short by a little", [first, 11], {_name(11): 0.98}, first),
        ("the newest empty", [first, 11], {_name(11): 0.0}, first),
        ("four newest that are no checkpoints", [first], garbage, first),
        ("files of other names", [first], {"best.pt": b"x", f".{_name(99)}.tmp": b"x"}, first),
    ]
    folders = []
    for number, (_, steps, changes, _) in enumerate(cases):
        place = _prepare(student, steps, f"case{number}")
        for name, change in changes.items():
            whole = (place / name).read_bytes() if isinstance(change, float) else b""
            cut = whole[: int(change * len(whole))] if whole else change
            (place / name).write_bytes(cut)
        # the time of a file says nothing: here the newest step is the oldest file
        for age, path in enumerate(sorted(place.iterdir())):
            os.utime(path, (10**9 - age, 10**9 - age))
        folders.append(str(place))
    decoy = _prepare(student, [first, 50, 60, 70], "decoy")
    (decoy / _name(50)).rename(decoy / f"{_name(50)}.tmp")
    (decoy / _name(60)).rename(decoy / f"best-{_name(60)}")
    (decoy / _name(70)).rename(decoy / "step-00000070-best.pt")
    folders.append(str(decoy))
    cases.append(("whole files under other names", [], {}, first))
    device = _prepare(student, [first], "device")
    student.run("from_a_device", {"folder": str(device), "step": 50})
    folders.append(str(device))
    cases.append(("the newest saved from a CUDA device (its tensors come to the CPU)", [], {}, 50))
    seen = student.fresh().run("loaded_by_stage", {"folders": folders})
    for (what, _, _, wanted), found in zip(cases, seen, strict=True):
        expect.that(not found["raised"], f"With {what}, load_latest raised.", found["raised"][:1])
        expect.equal(found["step"], wanted, what=f"the step that load_latest gives with {what}")
        expect.that(found["same"], f"With {what}, load_latest gives another state than was saved.")
    nothing = _prepare(student, [], "nothing")
    torn = _prepare(student, [], "torn")
    (torn / _name(4)).write_bytes(b"torn")
    missing = Path(student.scratch, "missing")
    folders = [str(nothing), str(torn), str(missing)]
    names = ["an empty folder", "a folder with a torn file alone", "a folder that does not exist"]
    for name, found in zip(
        names, student.run("loaded_by_stage", {"folders": folders}), strict=True
    ):
        gone = "FileNotFoundError" in found["raised"]
        message = f"For {name} load_latest must raise FileNotFoundError."
        expect.that(gone, message, found["raised"][:1])


@check("8.7.i", row="resume")
def test_nothing_in_a_file_is_run(student, draw, expect):
    """A file that would run code when it is unpickled is passed over, and runs none."""
    step = draw.integer(3, 9)
    place = _prepare(student, [step])
    trap = Path(student.scratch, "trap")
    case = {"folder": str(place), "step": step + 1, "trap": str(trap)}
    student.run("plant", case)
    (found,) = student.fresh().run("loaded_by_stage", {"folders": [str(place)]})
    message = "A call that was hidden in a checkpoint has been run: it made a folder."
    expect.that(not trap.exists(), message)
    expect.equal(found["step"], step, what="the step that load_latest gives beside a hostile file")


@check("8.7.i", row="resume", level="strong")
def test_what_a_crash_leaves_loads(student, draw, expect):
    """Whatever a kill or a power loss leaves, of a sound save or not, one of the two loads."""
    old, new = _steps(draw)
    for way in ("sound", "onto the name"):
        place = _prepare(student, [old - 2, old])
        case = {"folder": str(place), "root": str(place), "step": new, "way": way}
        record = file_calls.from_plain(watcher(student).run("grader_watched", case))
        moments = record.moments
        states = [*crash_states.kill_states(moments), *crash_states.power_loss_states(moments)]
        for crash, found in _loaded(student, states, "loaded_by_stage"):
            good = found["same"] is True and found["step"] in (old, new)
            if not good:
                raised = found["raised"][:1]
                what = f"raised {raised[0]}" if raised else f"gave step {found['step']}"
                shown = crash_states.timeline(moments, crash, _known(record), "crash")
                expect.unmet(f"load_latest {what} after a crash like this.\n{shown}", got=what)


@check("8.7.l", row="resume", level="strong")
def test_the_closed_book_file_is_written_whole(student, draw, expect):
    """A kill or a power loss while it saves leaves the old file or the new one, safe then."""
    file = Path(student.scratch, "closed", "run.pt")
    file.parent.mkdir()
    student.run("closed_book", {"file": str(file), "steps": 2})
    expect.that(file.is_file(), "closed_book_run left no file.")
    old = file.read_bytes()
    case = {"file": str(file), "steps": 4, "root": str(file.parent)}
    record = file_calls.from_plain(watcher(student).run("closed_book_watched", case))
    expect.that(not record.raised, f"closed_book_run raised {record.raised}.")
    new, moments = file.read_bytes() if file.is_file() else b"", record.moments
    expect.that(new != old, "closed_book_run did not write a new file.")
    kills, losses = crash_states.kill_states(moments), crash_states.power_loss_states(moments)
    after = left_at_the_end(record)
    for kind, crashes, good in (
        ("kill", kills, [old, new]),
        ("power loss", losses, [old, new]),
        ("power loss", after, [new]),
    ):
        bad = crash_states.first_bad(crashes, good, file.name)
        shown = crash_states.timeline(moments, bad, [file.name], kind) if bad else ""
        late = " after the function has returned" if crashes is after else ""
        message = f"A {kind}{late} leaves the file in a state it must not be in."
        expect.that(bad is None, f"{message}\n{shown}", " ".join(record.calls))
