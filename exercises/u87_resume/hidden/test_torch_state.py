"""Hidden checks of run_state and restore_run: saved in one process, continued in another."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

from grader.checks import check

from .bits import bits_of

PARTS = ("model", "optimizer", "scheduler", "scaler", "ema", "loader", "step", "rng")
IN_AN_EPOCH = (2, 3, 6, 7)
"""Steps after which an epoch of 4 batches is under way and the scaler's counter of 5 is not 0."""


def _case(student: Any, draw: Any, kind: str, before: int, after: int = 6) -> dict[str, Any]:
    return {
        "kind": kind, "seed": draw.integer(0, 10**6), "before": before, "after": after,
        "file": str(Path(student.scratch, f"{kind}.pt")),
    }  # fmt: skip


def _follows(expect: Any, saved: Any, run: Any, words: str) -> None:
    """Expect each step of a resumed run to be that of the unbroken one, in every part."""
    for number, (wanted, found) in enumerate(zip(saved["followed"], run["followed"], strict=True)):
        parts = [part for part in wanted if bits_of(wanted[part]) != bits_of(found[part])]
        others = f" (and {len(parts) - 1} more parts)" if len(parts) > 1 else ""
        message = (
            f"{words}, step {number + 1} after the resume differs from the unbroken run: "
            f"{parts[0] if parts else ''}{others}."
        )
        expect.that(not parts, message)


_others: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _another(student: Any) -> Any:
    """Return the student in another process than the one that saves, one for each check."""
    if student not in _others:
        _others[student] = student.fresh()
    return _others[student]


def _resume(student: Any, expect: Any, case: dict[str, Any], uses: list[int], words: str) -> Any:
    """Save in one process and resume in another; return what each resumed run did."""
    saved = student.run("saved_run", case)
    seen = _another(student).run("resumed", {**case, "uses": uses})
    message = f"What run_state gives does not load with weights_only=True: {seen['loads']}"
    expect.that(not seen["loads"], message)
    for use, run in zip(uses, seen["runs"], strict=True):
        used = f", into a run that has made {use} steps" if use else ""
        _follows(expect, saved, run, f"{words}{used}")
    return saved, seen


@check("8.7.f", row="resume")
def test_the_state_loads_with_weights_only(student, draw, expect):
    """The state has the eight parts, and loads in another process with weights_only=True."""
    for kind in ("full", "bare"):
        case = _case(student, draw, kind, draw.choice(IN_AN_EPOCH), after=0)
        saved = student.run("saved_run", case)
        expect.that(saved["keys"] is not None, "run_state does not return a dict.")
        missing = [part for part in PARTS if part not in saved["keys"]]
        expect.that(not missing, f"The state lacks {', '.join(missing)}.")
        absent = ["scheduler", "scaler", "ema"] if kind == "bare" else []
        message = "The parts that a run does not have must be None, and the others not."
        expect.equal(saved["absent"], absent, what=f"parts that are None. {message} They")
        unlike = ", ".join(saved["unlike"])
        message = f"Not the state dict (or the number of steps) that it should be: {unlike}."
        expect.that(not saved["unlike"], message)
        seen = _another(student).run("resumed", {**case, "uses": []})
        message = f"The state does not load with weights_only=True: {seen['loads']}"
        expect.that(not seen["loads"], message)


@check("8.7.f", row="resume")
def test_saving_is_a_copy_and_moves_nothing(student, draw, expect):
    """The state is a copy that later steps do not change, and taking it moves no generator."""
    for kind, before in (("full", draw.choice(IN_AN_EPOCH)), ("full", 4), ("bare", 0)):
        saved = student.run("saved_run", _case(student, draw, kind, before))
        parts = isinstance(saved["keys"], list) and "model" not in saved["unlike"]
        expect.that(parts, "run_state does not return the state of the run.")
        message = "The steps after run_state changed the state it had returned: it is not a copy."
        expect.that(saved["copy"], message)
        moved = ", ".join(saved["moved"])
        expect.that(not saved["moved"], f"run_state changed the run or a generator: {moved}.")


@check("8.7.f", row="resume")
def test_names_are_those_without_compile(student, draw, expect):
    """The parameters of a compiled model are saved under the names they have without compile."""
    case = _case(student, draw, "compiled", draw.choice(IN_AN_EPOCH), after=3)
    saved = student.run("saved_run", case)
    names = saved["names"]
    expect.that(isinstance(names, list), 'The part "model" is not a dict.')
    odd = sorted(set(names) ^ set(saved["wanted"]))
    message = (
        f"The names of the model's parameters and buffers are not its own: {', '.join(odd[:3])}."
    )
    expect.that(not odd, message)
    _resume(student, expect, case, [0], "With a compiled model")
    plain = _another(student).run("resumed", {**case, "kind": "full", "uses": [0]})
    _follows(
        expect, saved, plain["runs"][0], "Saved from a compiled model, resumed without compile"
    )


@check("8.7.g", row="resume")
def test_a_resumed_run_is_the_unbroken_one(student, draw, expect):
    """Resumed in another process in the middle of an epoch, every part is bit for bit the same."""
    for before in (draw.choice((2, 6)), draw.choice((3, 7))):
        case = {**_case(student, draw, "full", before), "once more": True}
        words = f"Saved after {before} steps (4 make an epoch)"
        saved, seen = _resume(student, expect, case, [0], words)
        rest = {"followed": saved["followed"][1:]}
        words += ", resumed, saved again one step later and resumed from that"
        _follows(expect, rest, {"followed": seen["once more"]}, words)


@check("8.7.g", row="resume")
def test_it_resumes_from_any_place(student, draw, expect):
    """Also at an epoch's end, before the first step, without extras, and into a run in use."""
    for kind, before in (("full", 4), ("full", 0), ("bare", 8), ("bare", draw.choice((1, 5)))):
        case = _case(student, draw, kind, before, after=5)
        words = f"Saved after {before} steps (4 make an epoch)"
        _, seen = _resume(student, expect, case, [draw.choice((1, 3)), 4], words)
        kept = all(run["kept"] for run in seen["runs"])
        expect.that(kept, "restore_run, or the run afterwards, changed the state it was given.")


@check("8.7.g", row="resume")
def test_what_is_shared_stays_shared(student, draw, expect):
    """Parameters are filled in place: shared ones stay shared, the optimizer keeps its own."""
    case = _case(student, draw, "tied", draw.choice(IN_AN_EPOCH))
    _, seen = _resume(student, expect, case, [0], "With a weight that two layers share")
    message = "After restore_run the model or the optimizer holds other parameters than before."
    expect.that(all(run["same parameters"] for run in seen["runs"]), message)


@check("8.7.g", row="resume")
def test_an_incomplete_state_is_refused(student, draw, expect):
    """A state without a part, or with one that the run does not have, is refused untouched."""
    for one in student.run("restoring_refused", {"seed": draw.integer(0, 10**6)}):
        refused = one["raised"] == "ValueError"
        message = f"A state that {one['why']} must raise ValueError."
        expect.that(refused, message, one["raised"] or "nothing raised")
        message = f"A state that {one['why']} was refused, but the run had been changed by then."
        expect.that(one["kept"], message)


@check("8.7.g", row="resume", device="cuda")
def test_a_run_on_a_device_resumes(student, draw, expect):
    """On a CUDA device, with dropout there, the resumed run is the unbroken one."""
    before = draw.choice(IN_AN_EPOCH)
    case = {**_case(student, draw, "full", before), "device": "cuda"}
    _resume(student, expect, case, [0], f"On a device, saved after {before} steps")
