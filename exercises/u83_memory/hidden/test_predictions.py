"""Hidden checks of unit 8.3 that hold models of a step, 8.3.h and i, against what was just run."""

from __future__ import annotations

from itertools import pairwise

from grader.checks import check
from grader.checks.many import refusals

from .counts import as_any_integers, as_numpy, no_counts

PHASES = ("forward", "backward", "update")
MOMENTS = ("before", "peak", "after")
RESIDENT = ("parameters", "gradients", "optimizer", "batch")


def _predict(student, expect, **case):
    """Return the student's prediction after a look at its keys and numbers."""
    got = student.numpy.predict_phases(**case)
    expect.keys(got, [*RESIDENT, *PHASES, "peak_phase"], what="the result")
    for name in PHASES:
        expect.keys(got[name], MOMENTS, what=name)
    told = {name: got[name] for name in RESIDENT}
    told |= {f"{name}, {key}": got[name][key] for name in PHASES for key in MOMENTS}
    for what, value in told.items():
        expect.between(value, 0, 2**60, what=what, unit="B")
    return got


def _phases(got):
    return {name: {key: got[name][key] for key in MOMENTS} for name in PHASES}


def _case(draw, optimizer, foreach=False, set_to_none=True):
    widths = draw.integers(2, 90, 1 + draw.integer(2, 4))
    return {"widths": widths, "batch": draw.integer(1, 70), "optimizer": optimizer,
            "foreach": foreach, "set_to_none": set_to_none}  # fmt: skip


def _parameters(widths):
    return 4 * sum(n * m + m for n, m in pairwise(widths))


def _named(case):
    shape = "-".join(map(str, case["widths"]))
    return f"mlp {shape}, {case['batch']} examples, {case['optimizer']}"


@check("8.3.h", row="prediction", level="pass")
def test_what_is_resident(student, draw, expect):
    """Parameters, gradients, states with their counters, and the batch have their bytes."""
    for optimizer, states, counter in (("sgd", 0, 0), ("momentum", 1, 0), ("adamw", 2, 4)):
        case = _case(draw, optimizer)
        got = _predict(student, expect, **case)
        params, tensors = _parameters(case["widths"]), 2 * (len(case["widths"]) - 1)
        want = {"parameters": params, "gradients": params,
                "optimizer": states * params + counter * tensors,
                "batch": case["batch"] * (4 * case["widths"][0] + 8)}  # fmt: skip
        held = {name: got[name] for name in RESIDENT}
        expect.equal(held, want, what=f"what is resident ({_named(case)})", unit="B")
        calls = [[[case["widths"], case["batch"], optimizer], {}]]
        for words, (same,) in as_numpy(student, expect, "predict_phases", calls):
            expect.equal(same, got, what=f"the same step, from {words}")
    # a weight of more than 2**34 bytes, and data of as many
    large = {**case, "widths": [70_000, 80_000, 9], "batch": 70_000}
    got = _predict(student, expect, **large)
    params, data = _parameters(large["widths"]), 70_000 * (4 * 70_000 + 8)
    want = [params, 2 * params + 16, data, 3 * params + 16 + data]
    held = [got["gradients"], got["optimizer"], got["batch"], got["forward"]["before"]]
    what = f"gradients, states, batch and what is alive before the forward ({_named(large)})"
    expect.equal(held, want, what=what, unit="B")


@check("8.3.h", row="prediction", level="pass")
def test_the_batch_moves_activations_alone(student, draw, expect):
    """Twice the examples double what grows with the batch, and not one byte of the rest."""
    case = _case(draw, "adamw")
    one = _predict(student, expect, **case)
    two = _predict(student, expect, **{**case, "batch": 2 * case["batch"]})
    for name in ("parameters", "gradients", "optimizer"):
        expect.equal(two[name], one[name], what=f"{name} of twice the batch", unit="B")
    grown = {name: two["forward"][name] - one["forward"][name] for name in MOMENTS}
    data = case["batch"] * (4 * case["widths"][0] + 8)
    kept = 4 * case["batch"] * sum(case["widths"][1:])
    expect.equal(grown["before"], data, what="growth before the forward", unit="B")
    expect.equal(grown["after"], data + kept, what="growth after the forward", unit="B")
    after = two["backward"]["after"] - one["backward"]["after"]
    expect.equal(after, data, what="growth after the backward", unit="B")


def _peaks_in_turn(draw):
    """Return mlps whose backward has its peak at the loss, a linear, and a ReLU, and any others."""
    wide, narrow, some = draw.integer(60, 90), draw.integer(2, 5), draw.integer(10, 30)
    many, few = draw.integer(300, 400), draw.integer(1, 3)
    for widths, batch in (
        ([some, narrow, 4 * wide], many),  # two gradients of wide logits
        ([wide, wide, wide, narrow], few),  # the gradients of a large weight
        ([some, wide, narrow], many),  # the gradient of a wide ReLU
        ([narrow, wide, some, wide, narrow], many),
        (draw.integers(2, 90, draw.integer(2, 5)), draw.integer(1, 70)),
    ):
        yield {"widths": widths, "batch": batch, "optimizer": "sgd", "foreach": False,
               "set_to_none": True}  # fmt: skip


@check("8.3.h", row="prediction", level="strong")
def test_live_forward_and_backward(student, reference, draw, expect):
    """For mlps drawn just now the forward and backward are those of a ledger, byte for byte."""
    for case in _peaks_in_turn(draw):
        live = reference.run("live_phases", case, stage="torch")
        got = _phases(_predict(student, expect, **case))
        for name in ("forward", "backward"):
            expect.equal(got[name], live[name], what=f"the {name} ({_named(case)})", unit="B")


@check("8.3.h", row="prediction", level="strong")
def test_live_update(student, reference, draw, expect):
    """For each optimizer, with foreach and without, the update is that of a ledger."""
    cases = [_case(draw, optimizer, foreach) for optimizer in ("sgd", "momentum", "adamw")
             for foreach in (False, True)]  # fmt: skip
    # the largest weight comes after another tensor, whose temporary is still there
    few, wide = draw.integer(2, 5), draw.integer(40, 60)
    cases.append({**_case(draw, "adamw", foreach=False), "widths": [few, wide, wide, few]})
    for case in cases:
        live = reference.run("live_phases", case, stage="torch")
        got = _phases(_predict(student, expect, **case))
        what = f"the update ({_named(case)}, foreach={case['foreach']})"
        expect.equal(got["update"], live["update"], what=what, unit="B")


@check("8.3.h", row="prediction", level="strong")
def test_live_kept_gradients(student, reference, draw, expect):
    """With set_to_none=False gradients are there all the time, and new ones come beside them."""
    for optimizer in draw.shuffled(["sgd", "adamw"]):
        case = _case(draw, optimizer, set_to_none=False)
        live = reference.run("live_phases", case, stage="torch")
        got = _phases(_predict(student, expect, **case))
        what = f"a step with kept gradients ({_named(case)})"
        expect.equal(got, live, what=what, unit="B")


@check("8.3.h", row="prediction", level="pass")
def test_the_phase_with_the_peak(student, draw, expect):
    """The peak is in the update of many weights, in the backward of many examples or if equal."""
    n, k = draw.integer(100, 200), draw.integer(2, 30)
    for case, phase in (
        ({"widths": [n, n, 10], "batch": 2, "optimizer": "adamw"}, "update"),
        ({"widths": [n, n, n, 10], "batch": 50 * n, "optimizer": "adamw"}, "backward"),
        ({"widths": [n, 10], "batch": 3, "optimizer": "sgd"}, "backward"),
        # two equal peaks: the gradients of two weights, or the temporaries of one
        ({"widths": [k, 2], "batch": k, "optimizer": "adamw"}, "backward"),
    ):
        got = _predict(student, expect, **case)["peak_phase"]
        got = "update" if got == "optimizer" else got
        expect.equal(got, phase, what=f"the phase of the peak ({_named(case)})")


WIDTHS_AND_BATCH = {"the width of the data": (0, 0), "a hidden width": (0, 1),
                    "the last width": (0, 2), "the batch": (1,)}  # fmt: skip


@check("8.3.h", row="prediction", level="pass")
def test_steps_that_cannot_be(student, draw, expect):
    """Too few widths, no examples and unknown optimizers are refused."""
    n = draw.integer(3, 30)
    cases = [
        ("for one width", [[n], 4], {}),
        ("for an unknown optimizer", [[n, 3], 4, "adam8bit"], {}),
        *no_counts(([[n, 5, 3], 4], {}), WIDTHS_AND_BATCH, least=1),
    ]
    refusals(student, expect, "predict_phases", cases)


# 8.3.i inference_peak


@check("8.3.i", row="prediction", level="strong")
def test_live_inference(student, reference, draw, expect):
    """For mlps drawn just now the peak in inference mode is that of a ledger, byte for byte."""
    for mode in ("inference_mode", "no_grad"):
        for layers in (1, 2, 4):
            case = {"widths": draw.integers(1, 90, layers + 1), "batch": draw.integer(1, 60),
                    "mode": mode}  # fmt: skip
            live = reference.run("live_inference", case, stage="torch")
            got = student.numpy.inference_peak(case["widths"], case["batch"])
            expect.keys(got, ["peak", "after"], what="the result")
            got = {name: got[name] for name in ("peak", "after")}
            shape = "-".join(map(str, case["widths"]))
            expect.equal(got, live, what=f"an mlp {shape} under {mode}", unit="B")


@check("8.3.i", row="prediction", level="pass")
def test_neighbours_alone_are_alive(student, draw, expect):
    """The peak is that of two neighbours, wherever the wide layers are; nonsense is refused."""
    n, b = draw.integer(40, 90), draw.integer(2, 30)
    for widths, peak, what in (
        ([500 * n, 3], 3, "one linear on wide data"),
        ([4, n, 3, n + 1, 2], 2 * (n + 1), "a wide layer behind a narrow one"),
        ([4, n, 5 * n], 6 * n, "a wide last layer"),
        ([4, n, n - 9, 2], 2 * n, "two wide layers"),
    ):
        got = student.numpy.inference_peak(widths, b)
        expect.keys(got, ["peak", "after"], what="the result")
        want = {"peak": 4 * b * peak, "after": 4 * b * widths[-1]}
        got = {name: got[name] for name in want}
        expect.equal(got, want, what=what, unit="B")
    many = 9_000_000  # more than 2**32 bytes
    calls = [[[[4, 2 * n, 3], b], {}], [[[4, 300, 200], many], {}]]
    want = [{"peak": 4 * b * 4 * n, "after": 4 * b * 3},
            {"peak": 4 * many * 600, "after": 4 * many * 200}]  # fmt: skip
    for words, seen in as_any_integers(student, expect, "inference_peak", calls):
        found = [{name: got[name] for name in ("peak", "after")} for got in seen]
        expect.equal(found, want, what=f"two mlps, from {words}", unit="B")
    bad = [("for one width", [[n], 4], {})]
    bad += no_counts(([[n, 5, 3], 4], {}), WIDTHS_AND_BATCH, least=1)
    refusals(student, expect, "inference_peak", bad)
