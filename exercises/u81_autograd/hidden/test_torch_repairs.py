"""Hidden checks of 8.1.i to 8.1.k: refusals named, updates guarded, a step repaired."""

from __future__ import annotations

import numpy as np

from grader.checks import check

ANSWER = ["kind", "node", "expected", "found"]
LEFT = ["depths", "grad_depths", "verdict"]


# 8.1.i diagnose_backward


def _diagnosed(student, expect, name, **more):
    seen = student.run("diagnosed", {"name": name, **more})
    expect.that(not seen["raised"], f"diagnose_backward raised {seen['raised']} for a {name} case.")
    expect.keys(seen["answer"], ANSWER, what="the result")
    expect.equal(seen["runs"], 1, what="how often the function was run")
    return seen["answer"]


@check("8.1.i", row="fault_repair", level="pass")
def test_each_refusal_by_its_name(student, draw, expect):
    """Freed graphs, edited tensors, inference tensors and missing graphs are told apart."""
    names = [
        "freed", "freed, a shared trunk", "freed, looked at", "version of an output",
        "version of an input", "version of data", "inference", "inference, made a leaf",
        "inference, edited", "no_graph", "no_graph, frozen", "no_graph, detached",
    ]  # fmt: skip
    for name in draw.shuffled(names):
        answer = _diagnosed(student, expect, name)
        kind = name.replace(",", " ").split()[0]
        expect.equal(answer["kind"], kind, what="kind of a backward that was refused")
        if kind != "version":
            rest = [answer[key] for key in ANSWER[1:]]
            expect.equal(rest, [None] * 3, what=f"node, expected and found of a {kind} case")


@check("8.1.i", row="fault_repair", level="pass")
def test_sound_backwards_are_ok(student, draw, expect):
    """Two backwards on a kept graph, or on one that saved nothing, and harmless edits are ok."""
    names = [
        "ok", "ok, kept", "ok, nothing saved", "ok, edited but not saved",
        "ok, edited behind its back",
    ]  # fmt: skip
    for name in draw.shuffled(names):
        answer = _diagnosed(student, expect, name)
        want = {"kind": "ok", "node": None, "expected": None, "found": None}
        got = {key: answer[key] for key in ANSWER}
        expect.equal(got, want, what="the answer for a backward that raises nothing")


@check("8.1.i", row="fault_repair", level="pass")
def test_other_errors_pass_through(student, draw, expect):
    """Whatever else goes wrong comes out as it is, also if its words sound familiar."""
    names = {
        "shapes": "a product whose shapes do not fit",
        "not a scalar": "a backward from three numbers",
        "leaf edited": "a leaf edited in place",
        "another type": "a ValueError",
        "a third type": "a KeyError",
        "a class of its own": "an error of the function's own class",
        "no text": "a RuntimeError without text",
    }
    for name in draw.shuffled(list(names)):
        seen = student.run("diagnosed", {"name": name})
        note = f"diagnose_backward gives an answer for {names[name]} instead of raising it."
        expect.that(seen["answer"] is None, note, seen["answer"])
        expect.that(seen["same"], f"Another error than {names[name]} came out.", seen["raised"])


@check("8.1.i", row="fault_repair", level="strong")
def test_versions_as_evidence(student, draw, expect):
    """The versions at saving and now are reported, so that edits before the save are ruled out."""
    few, many = draw.integer(1, 5), draw.integer(10, 14)
    for name, node, after, place in (
        ("version of an output", "Exp", few, 0), ("version of another output", "Sigmoid", many, 0),
        ("version of data", None, draw.integer(1, 5), 0),
        ("version of a second output", "LinalgQr", few, 1),
        ("version of one of twelve outputs", "Powers", few, draw.integer(2, 9)),
        ("version of one of twelve outputs", "Powers", many, draw.integer(10, 11)),
    ):  # fmt: skip
        answer = _diagnosed(student, expect, name, after=after, place=place)
        expect.equal(answer["expected"], 0, what="expected, for a tensor saved as it was made")
        expect.equal(answer["found"], after, what=f"found, after {after} edits")
        if node is None:
            expect.equal(answer["node"], None, what="node of a tensor that nothing has made")
        else:
            fine = isinstance(answer["node"], str) and answer["node"].startswith(node)
            note = f"node is not the operation that the message names: output {place} of {node}."
            expect.that(fine, note, answer["node"])
    for before in draw.shuffled([few, many]):
        after = draw.integer(1, 5)
        answer = _diagnosed(student, expect, "version of an input", before=before, after=after)
        what = f"{before} edits before the save and {after} after it"
        expect.equal(answer["expected"], before, what=f"expected, with {what},")
        expect.equal(answer["found"], before + after, what=f"found, with {what},")


# 8.1.j update_guard


def _weights(draw, count=3):
    return {f"{draw.name(4)}{n}": draw.normal((3,), np.float64) for n in range(count)}


def _guarded(student, expect, draw, step, steps=3, **more):
    case = {"step": step, "steps": steps, "weights": _weights(draw), **more}
    seen = student.run("guarded", case)
    expect.keys(seen["answer"], LEFT, what="the result")
    expect.that(seen["names_kept"], "The dict has other names than the step has left in it.")
    return seen


@check("8.1.j", row="fault_repair", level="pass")
def test_verdict_on_updates(student, draw, expect):
    """Each kind of update gets its verdict; sound ones are ok, whichever way they go."""
    wanted = {
        "in place": "ok", "replaced": "ok", "optimizer": "ok", "history": "history",
        "history of the last": "history", "stored": "stored_graph", "detached": "detached",
        "both": "history", "stored and detached": "stored_graph",
    }  # fmt: skip
    for step in draw.shuffled(list(wanted)):
        seen = _guarded(student, expect, draw, step, draw.integer(3, 4))
        expect.equal(seen["answer"]["verdict"], wanted[step], what=f"verdict on a step: {step},")


@check("8.1.j", row="fault_repair", level="pass")
def test_every_step_is_looked_at(student, draw, expect):
    """A graph that only a late step leaves, or that a later step cuts off, is found as well."""
    seen = _guarded(student, expect, draw, "late history", 4)
    got = seen["answer"]
    expect.equal(got["depths"], [0, 0, 2, 3], what="depths when the third step is the first to err")
    expect.equal(got["verdict"], "history", what="verdict on that step")
    got = _guarded(student, expect, draw, "history, cut", 3)["answer"]
    expect.equal(got["depths"], [2, 0, 0], what="depths when the second step cuts the graph off")
    expect.equal(got["verdict"], "history", what="verdict on that step")
    seen = _guarded(student, expect, draw, "in place", None)
    expect.equal(seen["runs"], 3, what="steps when their number is not given")
    seen = _guarded(student, expect, draw, "detached", 4)
    expect.equal(seen["runs"], 1, what="steps that are run when the first detaches a weight")
    expect.equal(seen["answer"]["depths"], [0], what="depths after a step that detaches a weight")


@check("8.1.j", row="fault_repair", level="strong")
def test_depths_as_evidence(student, reference, draw, expect):
    """Depths grow by one with each recorded update; a stored gradient's graph keeps its depth."""
    steps = draw.integer(3, 5)
    got = _guarded(student, expect, draw, "history", steps)["answer"]
    expect.equal(got["depths"], [n + 2 for n in range(steps)], what="depths of recorded updates")
    expect.equal(got["grad_depths"], [0] * steps, what="grad_depths when nothing is stored")
    case = {"step": "stored", "steps": steps, "weights": _weights(draw)}
    want = reference.run("guarded", case)["answer"]["grad_depths"]
    expect.that(len(set(want)) == 1 and want[0] > 2, "The reference's depths vary.")
    seen = student.run("guarded", case)
    expect.keys(seen["answer"], LEFT, what="the result")
    expect.equal(seen["answer"]["grad_depths"], want, what="grad_depths of stored graphs")
    expect.equal(seen["answer"]["depths"], [0] * steps, what="depths of updates in place")
    got = _guarded(student, expect, draw, "optimizer", steps)["answer"]
    expect.equal(got["depths"], [0] * steps, what="depths under an optimizer")
    expect.equal(got["grad_depths"], [0] * steps, what="grad_depths of plain gradients")


@check("8.1.j", row="fault_repair", level="pass")
def test_guard_looks_quietly(student, draw, expect):
    """No gradient of a weight that is no leaf is read, and constants are not looked at."""
    seen = _guarded(student, expect, draw, "history")
    expect.that(not seen["warned"], "PyTorch warned: .grad was read of a weight that is no leaf.")
    weights = _weights(draw)
    frozen = [next(iter(weights))]
    case = {"step": "in place", "steps": 2, "weights": weights, "frozen": frozen}
    seen = student.run("guarded", case)
    expect.keys(seen["answer"], LEFT, what="the result")
    got = seen["answer"]["verdict"]
    expect.equal(got, "ok", what="verdict on a sound step with a weight that is a constant")
    got = student.run("guarded", {**case, "step": "average"})["answer"]
    what = "a sound step that keeps a recorded average under the name of a constant"
    expect.equal(got["depths"], [0, 0], what=f"depths of the weights under {what}")
    expect.equal(got["verdict"], "ok", what=f"verdict on {what}")
    for steps, frozen, why in (
        (0, [], "no step at all"), (2, list(weights), "weights of which none needs a gradient"),
    ):  # fmt: skip
        case = {"step": "in place", "steps": steps, "weights": weights, "frozen": frozen}
        answer = student.attempt("guarded", case)
        refused = answer.status == "raised" and answer.error.type == "ValueError"
        expect.that(refused, f"update_guard must raise ValueError for {why}.")


# 8.1.k penalty_step


def _penalty_case(draw, loss="cubes", **more):
    names = [draw.name(3), draw.name(4), draw.name(5)]
    return {
        "weights": {name: 1 + 0.3 * draw.normal((4,), np.float64) for name in names},
        "loss": loss, "strength": draw.uniform(0.1, 0.3), "lr": draw.uniform(0.005, 0.02),
        "steps": 1, "factor": draw.uniform(0.5, 1.5), **more,
    }  # fmt: skip


def _penalised(student, expect, case):
    seen = student.run("penalised", case)
    for returned in seen["returned"]:
        fine = returned is not None and len(returned) == 2
        expect.that(fine, "penalty_step must return two tensors of one element, (L, R).")
    return seen


@check("8.1.k", row="fault_repair", level="pass")
def test_penalty_step_values(student, reference, draw, expect):
    """Loss, penalty and new weights are those of the formula, with the second derivative in it."""
    for loss in ("cubes", "product", "linear"):
        case = _penalty_case(draw, loss)
        want = reference.run("penalised_truth", case)
        if loss == "cubes":
            c, s, lr = case["factor"], case["strength"], case["lr"]
            for name, w in case["weights"].items():
                step = 3 * c * w**2 + s * 36 * c**2 * w**3
                expect.close(want["weights"][name], w - lr * step, rtol=1e-12, what="the reference")
        seen = _penalised(student, expect, case)
        what = f"the loss of {loss}"
        expect.close(seen["returned"][0][0], want["returned"][0], rtol=1e-10, what=what)
        what = f"the penalty of {loss}"
        expect.close(seen["returned"][0][1], want["returned"][1], rtol=1e-10, what=what)
        what = f"the weights after a step on {loss}"
        expect.close(seen["weights"][0], want["weights"], rtol=1e-10, what=what)


@check("8.1.k", row="fault_repair", level="pass")
def test_frozen_and_unused_weights(student, reference, draw, expect):
    """A constant and a weight that the loss does not depend on keep their values."""
    case = _penalty_case(draw)
    frozen, unused, _ = names = list(case["weights"])
    case |= {"frozen": [frozen], "unused": [unused]}
    want = reference.run("penalised_truth", case)
    seen = _penalised(student, expect, case)
    for name in (frozen, unused):
        what = f"a weight that is {'frozen' if name == frozen else 'not used'}"
        expect.equal(seen["weights"][0][name], case["weights"][name], what=what)
    expect.close(seen["weights"][0], want["weights"], rtol=1e-10, what="the weights")
    expect.close(seen["returned"][0], want["returned"], rtol=1e-10, what="loss and penalty")
    needs = {name: name != frozen for name in names}
    expect.equal(seen["facts"][0]["needs"], needs, what="which weights need a gradient afterwards")


@check("8.1.k", row="fault_repair", level="pass")
def test_weights_are_leaves_without_a_graph(student, draw, expect):
    """After each of several steps the weights are leaves, and what is returned is detached."""
    seen = _penalised(student, expect, _penalty_case(draw, steps=3))
    for facts in seen["facts"]:
        note = "A weight is no leaf after the step: the update was recorded."
        expect.that(facts["leaves"], note)
        expect.that(all(facts["needs"].values()), "A weight no longer needs its gradient.")
        expect.that(facts["detached"], "What the step returns still has its graph.")


@check("8.1.k", row="fault_repair", level="pass")
def test_stored_gradients_are_left_alone(student, draw, expect):
    """What was stored on .grad before is there afterwards, and nothing else is."""
    case = _penalty_case(draw)
    first, *_ = case["weights"]
    case["grads"] = {first: draw.normal((4,), np.float64)}
    facts = _penalised(student, expect, case)["facts"][0]
    expect.that(facts["leaves"], "A weight is no leaf after the step: the update was recorded.")
    expect.equal(sorted(facts["grads"]), [first], what="the weights with a stored gradient")
    expect.equal(facts["grads"], case["grads"], what="the stored gradient")


@check("8.1.k", row="fault_repair", level="pass")
def test_memory_of_penalty_steps(student, draw, expect):
    """Live bytes do not grow with the steps, and nothing lives on when the weights are gone."""
    seen = student.run("penalised_memory", _penalty_case(draw, steps=4))
    what = "live bytes beyond the weights after each step"
    expect.equal(seen["after_steps"], [0] * 4, what=what, unit="B")
    expect.equal(seen["left"], 0, what="live bytes when the weights are gone", unit="B")


@check("8.1.k", row="fault_repair", level="strong")
def test_guard_on_the_faulty_and_the_repaired(student, draw, expect):
    """Your guard fails on a step that records and on one that stores a graph, not on yours."""
    seen = student.run("both_guarded", _penalty_case(draw))
    wanted = {"repaired": "ok", "history": "history", "stored": "stored_graph"}
    for name, verdict in wanted.items():
        expect.keys(seen[name], LEFT, what="the guard's result")
        expect.equal(seen[name]["verdict"], verdict, what=f"the guard's verdict, {name} step,")
    expect.equal(seen["repaired"]["depths"], [0, 0, 0], what="depths of your own step")
    expect.equal(seen["repaired"]["grad_depths"], [0, 0, 0], what="grad_depths of your own step")
