"""Hidden checks of the repaired trainer, of the measurement, the guard and the post-mortem."""

from __future__ import annotations

from typing import Any

from grader.checks import check

from .postmortem import read_postmortem
from .project import LONG, LONGEST, SOUND, TRUE_ERROR, WEIGHT, number, project_in


def _measured(student: Any, seed: int, *look: str) -> dict[str, Any]:
    """Return what instruments say of the student's repaired trainer."""
    case = {"student": True, "seed": seed, "look": list(look)}
    return student.run("measured", case, LONG)["student"]


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
    if project_in(handed_in).model != "own":
        expect.close(seen["weight"], WEIGHT, rtol=1e-6, what="the weight of the loss")
        expect.close(seen["longest"], LONGEST, rtol=1e-6, what="max_norm")


@check("mini-project.g", row="fault_repair")
def test_the_optimizer_gets_the_true_gradients(student, draw, expect):
    """At the optimizer's step the gradients are those of fp32, clipped: whole and unscaled."""
    row = _measured(student, draw.integer(0, 1000), "step", "clipping")
    ratio = row["gradient_ratio"]
    zeros = f"{row['zero_gradients']:.0%} of their entries are 0"
    message = (
        f"When the optimizer makes its step, the gradients are {ratio:.3g} times as long as the "
        f"clipped gradients in fp32, and off by {row['gradient_error']:.2g} of that; {zeros}."
    )
    expect.that(row["gradient_error"] <= TRUE_ERROR, message, ratio)
    ratio = row["clipped_ratio"]
    message = (
        f"With max_norm at half the norm of the true gradients, what the optimizer gets is "
        f"{ratio:.3g} times as long as it should be: it is not clipped, or not to that."
    )
    expect.that(row["clipped_error"] <= TRUE_ERROR, message, ratio)


@check("mini-project.g", row="fault_repair")
def test_a_step_reads_nothing_back(student, draw, expect):
    """No line of a step, its objective included, waits for a value of a tensor."""
    row = _measured(student, draw.integer(0, 1000), "step")
    expect.equal(row["host_syncs"], 0, what="the values that a step reads back")


@check("mini-project.g", row="fault_repair")
def test_the_objective_is_captured_whole(student, draw, expect):
    """torch.compile captures the objective as one graph."""
    row = _measured(student, draw.integer(0, 1000), "graphs")
    expect.that(row["known"], "torch.compile was changed: it breaks elsewhere than it must.")
    expect.that(not row["break"], "The objective breaks in two.", row["break"])


@check("mini-project.g", row="fault_repair")
def test_the_state_is_complete(student, draw, expect):
    """From its state, a used run goes on with the very losses of the run that was not stopped."""
    row = _measured(student, draw.integer(0, 1000), "resume")
    what = "the largest relative difference of a loss after a resume"
    expect.equal(row["resume_difference"], 0.0, what=what)


@check("mini-project.h", row="fault_repair", level="strong")
def test_the_measurement_separates(student, handed_in, expect):
    """Your fault, wherever it is, has a larger number than no fault and than any of the others."""
    student.run("tried", {"function": "discriminate"})
    project = project_in(handed_in)
    programs = {"the sound trainer": SOUND, **project.same, **project.others}
    seen = student.run("discriminated", {"programs": programs, "student": True}, LONG)
    for name, value in seen.items():
        who = "your repaired trainer" if name == "student" else name
        if isinstance(value, str):
            expect.unmet(f"discriminate raised {value} for {who}.")
        message = f"For {who} discriminate gives no finite number."
        expect.that(number(value) is not None, message, value)
    faulty = {name: number(seen[name]) for name in project.same}
    least = min(faulty, key=lambda name: faulty[name])
    for name, value in seen.items():
        if name in project.same:
            continue
        who = "your repaired trainer" if name == "student" else name
        message = (
            f"discriminate does not tell your fault from {who}: it gives {number(value):.6g} for "
            f"{who} and {faulty[least]:.6g} for {least}."
        )
        expect.that(number(value) < faulty[least], message, number(value))


@check("mini-project.h", row="fault_repair", level="strong")
def test_the_numbers_of_the_postmortem_are_measured(student, handed_in, expect):
    """The post-mortem names the fault; its numbers are measured, the threshold between them."""
    student.run("tried", {"function": "discriminate"})
    project = project_in(handed_in)
    programs = {"faulty": project.faulty}
    seen = student.run("discriminated", {"programs": programs, "student": True}, LONG)
    written = read_postmortem(handed_in)
    message = f"postmortem.toml says that the fault is {written.fault}."
    expect.that(written.fault == project.site.fault, message, written.fault)
    low, high = number(seen["student"]), number(seen["faulty"])
    for name, value in (("your repaired trainer", low), ("the faulty one", high)):
        message = f"For {name} discriminate gives no finite number."
        expect.that(value is not None, message, seen["student"])
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
def test_the_guard_fails_on_the_fault_alone(student, handed_in, expect):
    """The guard fails on your fault at every place of the trainer, and passes on sound ones."""
    student.run("tried", {"function": "guard"})
    project = project_in(handed_in)
    programs = {"the sound trainer": SOUND, **project.same}
    seen = student.run("guarded", {"programs": programs, "student": True}, LONG)
    for name, (raised, words) in seen.items():
        who = "your repaired trainer" if name == "student" else name
        if name in project.same:
            message = f"The guard must raise AssertionError for {who}."
            expect.that(raised == "AssertionError", message, raised or "nothing raised")
            expect.that(bool(words.strip()), "The guard fails without a word on what was measured.")
        else:
            message = f"The guard must pass for {who}; it raised {raised}: {words}"
            expect.that(not raised, message, raised)
