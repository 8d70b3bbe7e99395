"""Hidden checks of save_run and resume_run: bit for bit, and after a kill at any moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.checks import check
from grader.instruments import crash_states, file_calls
from grader.sandbox.limits import Limits

NAME = "run.pt"
WATCHING = Limits(processes=4)
PARTS = ("model", "optimizer", "scheduler", "scaler", "torch's generator")


def _place(subject: Any, name: str) -> Path:
    place = Path(subject.scratch, name)
    place.mkdir(exist_ok=True)
    return place


@check("mini-project.k", row="resume")
def test_a_save_leaves_the_run_and_one_file(student, draw, expect):
    """A save leaves one file, and the run as it was."""
    place = _place(student, "saves")
    case = {
        "seed": draw.integer(0, 1000), "before": draw.integer(2, 5), "after": 1,
        "file": str(place / NAME),
    }  # fmt: skip
    seen = student.run("saved", case)
    moved = ", ".join(seen["moved"])
    expect.that(not seen["moved"], f"save_run changed the run: {moved}.", moved)
    expect.equal(seen["there"], [NAME], what="the files after a save")


@check("mini-project.l", row="resume")
def test_a_resumed_run_is_the_unbroken_one(student, draw, expect):
    """Resumed in another process, batches, losses and all of the state are the same bit for bit."""
    place = _place(student, "resumes")
    for before in (draw.integer(3, 7), 0):
        case = {
            "seed": draw.integer(0, 1000), "before": before, "after": 5, "own": 3,
            "file": str(place / NAME),
        }  # fmt: skip
        whole = student.run("saved", case)["followed"]
        again = student.fresh().run("resumed", case)
        for number, (row, want) in enumerate(zip(again, whole, strict=True), 1):
            for part in ("batch", "loss", *PARTS):
                message = (
                    f"Saved after {before} steps and resumed, {part} of step {before + number} is "
                    "not that of the run that went on."
                )
                expect.that(row[part] == want[part], message, part)


@check("mini-project.l", row="resume")
def test_a_torn_file_changes_nothing(student, draw, expect):
    """A file that is cut short is refused, and the run is what it was."""
    place = _place(student, "torn")
    case = {"seed": draw.integer(0, 1000), "before": 2, "after": 0, "file": str(place / NAME)}
    student.run("saved", case)
    whole = (place / NAME).read_bytes()
    for share in (0.0, draw.uniform(0.2, 0.9)):
        (place / NAME).write_bytes(whole[: int(share * len(whole))])
        seen = student.run("refused", case)
        expect.that(bool(seen["raised"]), f"A file cut to {share:.0%} must make resume_run raise.")
        message = f"A file cut to {share:.0%} was refused, but the run had been changed by then."
        expect.that(seen["kept"], message)


@check("mini-project.k", row="resume", level="strong")
def test_a_kill_or_power_loss_leaves_a_run_that_resumes(student, draw, expect):
    """Killed at any call or byte, or without power, the old state or the new one resumes."""
    old, new = draw.integer(1, 2), draw.integer(3, 4)
    place = _place(student, "crashes")
    case = {"seed": draw.integer(0, 1000), "file": str(place / NAME), "root": str(place)}
    student.run("prepared", {**case, "before": old})
    before = (place / NAME).read_bytes()
    watcher = student.fresh(WATCHING)
    record = file_calls.from_plain(watcher.run("save_watched", {**case, "before": new}))
    expect.that(not record.raised, f"save_run raised {record.raised}.")
    student.output.append(f"[grader: stopped {record.stops} times, by {record.tool}]\n")
    after = (place / NAME).read_bytes()
    expect.that(after != before, "save_run did not write the new state.")
    known = [NAME]
    losses = list(crash_states.power_loss_states(record.moments))
    late = [crash for crash in losses if crash.after == len(record.moments) - 1]
    for kind, crashes, good in (
        ("kill", crash_states.kill_states(record.moments), [before, after]),
        ("power loss", losses, [before, after]),
        ("power loss", late, [after]),
    ):
        bad = crash_states.first_bad(crashes, good, NAME)
        shown = crash_states.timeline(record.moments, bad, known, kind) if bad else ""
        words = " after save_run has returned" if crashes is late else ""
        message = f"A {kind}{words} leaves {NAME} in a state it must not be in."
        expect.that(bad is None, f"{message}\n{shown}", " ".join(record.calls))
    for at in (1, draw.integer(2, len(after) - 1)):
        (place / NAME).write_bytes(before)
        student.fresh(Limits(file=at)).attempt("save_killed", {**case, "before": new})
        message = f"Killed at byte {at} of the save, {NAME} is not what was there before."
        expect.that((place / NAME).read_bytes() == before, message)
    for path in place.iterdir():  # what a killed save may leave
        path.unlink()
    (place / "old.pt").write_bytes(before)
    (place / "new.pt").write_bytes(after)
    files = [str(place / "old.pt"), str(place / "new.pt")]
    seen = student.fresh().run("loaded", {**case, "files": files})
    for name, row in zip(("old", "new"), seen, strict=True):
        message = f"From the {name} state nothing resumes: {row['raised']}"
        expect.that(not row["raised"], message)
    expect.that(seen[0]["state"] != seen[1]["state"], "Old and new state resume to the same run.")
