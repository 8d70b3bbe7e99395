"""Hidden checks of dtype_map (8.4.j): the same operators one after the other, and what is left."""

from __future__ import annotations

from grader.checks import check

HALVES = ("float16", "bfloat16")


def _run(student, expect, probe, case):
    """Run a probe and return what it saw; the process must be left as it was found."""
    seen = student.run("watched", {**case, "probe": probe})
    changed = ", ".join(map(str, seen["changed"]))
    expect.that(not changed, f"Settings of the process were left changed: {changed}.")
    silent = not seen["warnings"]
    expect.that(silent, "PyTorch warned that autocast or a scaler is off: something else ran.")
    return seen["value"]


def _value(expect, answer, function):
    raised = answer.get("raised")
    told = raised and f"{raised[0]}: {answer.get('message')}"
    expect.that(not raised, f"{function} must not raise here.", told)
    return answer["value"]


def _raised(expect, answer, error, why, function):
    raised = answer.get("raised") or []
    seen = None if error in raised else raised[0] if raised else "no error"
    expect.that(error in raised, f"{function} must raise {error} {why}.", seen)


PARTS = ("modules", "parameters", "logits", "loss", "gradients")


def _case(draw, **more):
    return {
        "width": draw.integer(4, 9),
        "classes": draw.integer(2, 5),
        "seed": draw.integer(0, 999),
        "training": draw.choice([True, False]),
        **more,
    }


@check("8.4.j", row="optimization_validity", level="pass")
def test_map_as_its_operators_run(student, reference, draw, expect):
    """Each module, parameter, gradient, the logits and the loss have the dtype that was run."""
    for dtype in HALVES:
        case = _case(draw, dtype=dtype)
        want = reference.run("mapped_by_hand", case)
        seen = _run(student, expect, "mapped", case)
        got = _value(expect, seen, "dtype_map")
        expect.keys(got, PARTS, what="the map")
        for part in PARTS:
            expect.equal(got[part], want[part], what=f"{part} under autocast to {dtype}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_model_is_left_as_it_was(student, draw, expect):
    """No hook stays, not even after an error; mode, gradients and dtypes are what they were."""
    for fails in (False, True):
        seen = _run(student, expect, "mapped", _case(draw, fails=fails, dtype=draw.choice(HALVES)))
        when = "after an error in the forward" if fails else "afterwards"
        if fails:
            _raised(expect, seen, "KeyError", "when the model does", "dtype_map")
        else:
            _value(expect, seen, "dtype_map")
        expect.equal(seen["hooks"], 0, what=f"hooks on the model {when}")
        expect.that(seen["training"], f"The training mode of the model has changed {when}.")
        expect.that(seen["old_grad"], f"A gradient that was there has changed {when}.")
        expect.equal(seen["new_grads"], ["head.weight"], what=f"parameters with a .grad {when}")
        expect.equal(seen["dtypes"], ["torch.float32"], what=f"dtypes of the parameters {when}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_buffers_are_left_as_they_were(student, draw, expect):
    """What a forward moves, like running statistics, is put back, also after an error."""
    for fails in (False, True):
        case = _case(draw, fails=fails, moves=True, dtype=draw.choice(HALVES))
        seen = _run(student, expect, "mapped", case)
        if not fails:
            _value(expect, seen, "dtype_map")
        when = "after an error in the forward" if fails else "afterwards"
        expect.that(seen["buffer"] == 1, f"A buffer of the model has another value {when}.")


@check("8.4.j", row="optimization_validity", level="pass")
def test_backward_outside_autocast(student, draw, expect):
    """The forward runs inside autocast, the backward outside of it."""
    seen = _run(student, expect, "mapped", _case(draw, dtype="bfloat16"))
    _value(expect, seen, "dtype_map")
    expect.that(not seen["backward_in_autocast"], "The backward ran inside autocast.")


@check("8.4.j", row="optimization_validity", level="pass")
def test_absent_device_is_refused(student, reference, draw, expect):
    """Autocast for a device that is not there, or to another dtype, is refused: it would be off."""
    here = reference.run("machine", {})["accelerator"]
    absent = [kind for kind in ("cuda", "mps", "xpu") if kind != here]
    for device in absent:
        seen = _run(student, expect, "mapped", _case(draw, device=device, dtype="bfloat16"))
        _raised(expect, seen, "ValueError", f"for {device}, which is not here", "dtype_map")
        expect.equal(seen["hooks"], 0, what="hooks on the model after a refusal")
    for dtype in ("float32", "float64"):
        seen = _run(student, expect, "mapped", _case(draw, dtype=dtype))
        _raised(expect, seen, "ValueError", f"for {dtype}", "dtype_map")


@check("8.4.j", row="optimization_validity", level="pass", device="cuda")
def test_map_on_cuda(student, expect):
    """On CUDA, LayerNorm and softmax give float32 where the layers around them give float16."""
    seen = student.run("mapped_on_cuda", {})
    if not seen["cuda"]:
        expect.skip("no CUDA device here")
    expect.keys(seen["map"], PARTS, what="the map")
    want = {"0": "float16", "1": "float32", "2": "float32", "3": "float16"}
    expect.equal(seen["map"]["modules"], want, what="modules under float16 autocast on CUDA")
