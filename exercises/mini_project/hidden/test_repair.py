"""Hidden checks of the repaired trainer, of the measurement, the guard and the post-mortem."""

from __future__ import annotations

from typing import Any

from grader.checks import check
from grader.checks.compare import show
from grader.checks.outcomes import Stopped

from .postmortem import read_postmortem
from .project import (
    LONG,
    LONGEST,
    OTHERWISE,
    SOUND,
    SOUND_OTHERWISE,
    TRUE_ERROR,
    WEIGHT,
    number,
    project_in,
)

MINE = "your repaired trainer"
SAME_MODEL = 0.02
"""How far two counts of the bytes of one model may be apart, where chance decides what is saved."""

ROUNDS = 2
"""How often a guard sees all trainers, each time in an order of its own."""


@check("mini-project.g", row="fault_repair")
def test_it_trains_the_same(student, handed_in, draw, expect):
    """The repaired trainer has all its parts, trains all of the model, and for the same loss."""
    seen = student.run("handed_over", {"seed": draw.integer(0, 1000)})
    expect.equal(seen["lacks"], [], what="what the trainer lacks")
    expect.that(seen["same model"], "The parameters are not those of adapter.make_model.")
    still = ", ".join(seen["still"][:3])
    expect.that(not seen["still"], f"After a step these parameters are what they were: {still}.")
    what = "the objective of a batch over the adapter's loss"
    expect.close(seen["ratio"], seen["weight"], rtol=0.02, what=what)
    trained = student.fresh().run("as_trained", {"trainer": SOUND})
    for part, size in trained.items():
        told = student.fresh().run(f"measure_{part}", {"seed": 0})["value"]
        message = (
            f"The adapter gives a trainer another model than a measurement: {size} B of {part}, "
            f"where {told} B are measured for the sheet."
        )
        expect.that(abs(told - size) <= SAME_MODEL * size, message, told)
    if project_in(handed_in).model != "own":
        expect.close(seen["weight"], WEIGHT, rtol=1e-6, what="the weight of the loss")
        expect.close(seen["longest"], LONGEST, rtol=1e-6, what="max_norm")


@check("mini-project.g", row="fault_repair")
def test_no_fault_is_left(student, handed_in, draw, expect):
    """What the fault had moved is at its baseline again, and so is what the others would move."""
    case = {
        "student": True,
        "seed": draw.integer(0, 1000),
        "look": ["step", "clipping", "resume", "graphs"],
    }
    row = student.run("measured", case, LONG)["student"]
    expect.that(row["known"], "torch.compile was changed: it breaks elsewhere than it must.")
    own = project_in(handed_in).site.fault
    moved = {faults: words for faults, words in _moved(row).items() if words}
    # which of the five it is, is the student's to find
    given = any(own in faults for faults in moved)
    message = "The fault that you were given is still there: a measurement of it is off."
    expect.that(not given, message)
    for words in moved.values():
        expect.unmet(f"The fault that you were given is gone, but another one is there: {words}")


def _moved(row: dict[str, Any]) -> dict[tuple[str, ...], str]:
    """Return for the faults that move it what each measurement is, empty at its baseline."""
    ratio, clipped = row["gradient_ratio"], row["clipped_ratio"]
    size, zeros = f"{ratio:.3g} times", f"{row['zero_gradients']:.0%}"
    whole = row["gradient_error"] <= TRUE_ERROR
    return {
        ("scaler", "clip"): ""
        if whole and row["clipped_error"] <= TRUE_ERROR
        else f"at the optimizer's step the gradients are {size} as long as the clipped ones in "
        f"fp32, {zeros} of their entries are 0, and they are off by {row['gradient_error']:.2g}."
        if not whole
        else f"with max_norm at half the norm, the gradients are {clipped:.3g} times as long as "
        "they should be: they are not clipped, or not to that.",
        ("break",): f"the objective breaks: {row['break']}" if row["break"] else "",
        ("sync", "break"): f"a step reads {row['host_syncs']} values back."
        if row["host_syncs"]
        else "",
        ("checkpoint",): "after a resume from its state, losses differ by "
        f"{row['resume_difference']:.2g}."
        if row["resume_difference"]
        else "",
    }


READ_OFF = (
    " What is read off a program, or known of its numbers, is no measurement: no line of this "
    "trainer is one of yours, and it trains with other numbers."
)
"""What to say beside a message about a trainer that is written otherwise."""


def _each(student: Any, draw: Any, probe: str, programs: dict[str, str | None]) -> dict[str, Any]:
    """Let the student look at each trainer alone, in a drawn order; return what came by its name.

    No name goes along, and no other trainer is in the process: what tells one from another is what
    it does. They have the processor time of one call together.

    Args:
        student: Who looks.
        draw: Draws the order.
        probe: What lets the student's function look at trainers.
        programs: Texts by name; None stands for the student's own repaired trainer.
    """
    seen, before = {}, student.cpu
    for name in draw.shuffled(list(programs)):
        text = programs[name]
        case = {"student": True} if text is None else {"programs": {"trainer": text}}
        seen[name] = next(iter(student.run(probe, case, LONG).values()))
        if student.cpu - before > LONG.cpu:
            words = f"Stopped: used more than {LONG.cpu:g} s of processor time"
            raise Stopped(f"{words} on {len(seen)} of {len(programs)} trainers.")
    return {name: seen[name] for name in programs}


def _also(*names: str) -> str:
    """Return the sentence about trainers that are written otherwise, if one of these is."""
    return READ_OFF if any(OTHERWISE in name for name in names) else ""


@check("mini-project.h", row="fault_repair", level="strong")
def test_the_measurement_separates(student, handed_in, draw, expect):
    """Your fault, wherever it is, has a larger number than no fault and than any of the others."""
    student.run("tried", {"function": "discriminate"})
    project = project_in(handed_in)
    same = {**project.same, **project.same_otherwise}
    sound = {MINE: None, "the sound trainer": SOUND, f"no fault {OTHERWISE}": SOUND_OTHERWISE}
    others = {**project.others, **project.others_otherwise}
    seen = _each(student, draw, "discriminated", {**sound, **same, **others})
    for name, value in seen.items():
        if isinstance(value, str):
            expect.unmet(f"discriminate raised {value} for {name}.")
        message = f"For {name} discriminate gives {show(value)}, which is no finite number."
        expect.that(number(value) is not None, message, value)
    faulty = {name: number(seen[name]) for name in same}
    least = min(faulty, key=lambda name: faulty[name])
    for name, value in seen.items():
        if name in same:
            continue
        message = (
            f"discriminate does not tell your fault from {name}: it gives {number(value):.6g} for "
            f"{name} and {faulty[least]:.6g} for {least}.{_also(name, least)}"
        )
        expect.that(number(value) < faulty[least], message, number(value))


@check("mini-project.h", row="fault_repair", level="strong")
def test_the_numbers_of_the_postmortem_are_measured(student, handed_in, draw, expect):
    """The post-mortem names the fault; its numbers are measured, the threshold between them."""
    student.run("tried", {"function": "discriminate"})
    project = project_in(handed_in)
    programs = {MINE: None, "the faulty one": project.faulty}
    seen = _each(student, draw, "discriminated", programs)
    written = read_postmortem(handed_in)
    message = f"postmortem.toml says that the fault is {written.fault}."
    expect.that(written.fault == project.site.fault, message, written.fault)
    low, high = (number(value) for value in seen.values())
    for name, value, given in zip(seen, (low, high), seen.values(), strict=True):
        message = f"For {name} discriminate gives {show(given)}, which is no finite number."
        expect.that(value is not None, message, given)
    apart = 1e-3 * abs(high - low)  # a 0 that is only nearly one
    _expect_number(expect, written.faulty, high, "`faulty` of postmortem.toml", apart)
    _expect_number(expect, written.repaired, low, "`repaired` of postmortem.toml", apart)
    between = low < written.threshold < high
    message = f"The threshold {written.threshold:.6g} is not between {low:.6g} and {high:.6g}."
    expect.that(between, message, written.threshold)


@check("mini-project.h", row="fault_repair", level="strong", person=True)
def test_a_rejected_hypothesis_has_its_number(student, handed_in, expect):
    """Two hypotheses or more, one accepted, one rejected with a number that is measured again."""
    student.run("tried", {"function": "discriminate"})
    project = project_in(handed_in)
    written = read_postmortem(handed_in).hypotheses
    groups = {"graph_breaks": "graphs", "resume_difference": "resume"}
    look = sorted({groups.get(one.measurement, "step") for one in written})
    programs = {"faulty": project.faulty, "sound": SOUND}
    programs |= {one.fault: project.first(one.fault) for one in written}
    case = {"programs": programs, "seed": 0, "look": look}
    rows = student.run("measured", case, LONG)
    for one in written:
        right = "accepted" if one.fault == project.site.fault else "rejected"
        message = f"postmortem.toml: the hypothesis {one.fault} is {one.verdict}."
        expect.that(one.verdict == right, message, one.verdict)
        true = {name: _seen(rows[name], one.measurement) for name in rows}
        what = f"{one.measurement} of the hypothesis {one.fault} in postmortem.toml"
        _expect_number(expect, one.number, true["faulty"], what)
        name, moved = one.measurement, not _alike(true[one.fault], true["sound"])
        message = f"postmortem.toml: {name} is the same with the fault {one.fault} and without one."
        expect.that(moved, message, name)
        if one.verdict == "rejected":
            message = (
                f"postmortem.toml: {name} of the trainer you were given is not what it is without "
                f"a fault, so it does not reject {one.fault}."
            )
            expect.that(_alike(true["faulty"], true["sound"]), message, one.number)


def _seen(row: dict[str, Any], measurement: str) -> float:
    """Return one measurement of a trainer."""
    return float(bool(row["break"])) if measurement == "graph_breaks" else float(row[measurement])


def _alike(one: float, other: float) -> bool:
    """Whether two measurements are the same but for rounding."""
    return abs(one - other) <= max(0.05 * abs(other), 1e-6)


def _expect_number(expect: Any, said: float, true: float, what: str, apart: float = 0.0) -> None:
    """Expect a number to be what was measured, within 5 %; a 0 is exact but for `apart`.

    Sums in another order differ by some 1e-3, a number that is written with two digits by 5 %.
    """
    expect.close(said, true, rtol=0.05, atol=apart, what=what)


@check("mini-project.i", row="fault_repair")
def test_the_guard_fails_on_the_fault_alone(student, handed_in, draw, expect):
    """The guard fails on your fault at every place of the trainer, and passes on sound ones."""
    student.run("tried", {"function": "guard"})
    project = project_in(handed_in)
    same = {**project.same, **project.same_otherwise}
    sound = {MINE: None, "the sound trainer": SOUND, f"no fault {OTHERWISE}": SOUND_OTHERWISE}
    for _ in range(ROUNDS):
        for name, (raised, words) in _each(student, draw, "guarded", {**sound, **same}).items():
            if name in same:
                message = f"The guard must raise AssertionError for {name}.{_also(name)}"
                expect.that(raised == "AssertionError", message, raised or "nothing raised")
                message = "The guard fails without a word on what was measured."
                expect.that(bool(words.strip()), message)
            else:
                told = f"It raised {raised}: {words}"
                message = f"The guard must pass for {name}.{_also(name)} {told}"
                expect.that(not raised, message, raised)
