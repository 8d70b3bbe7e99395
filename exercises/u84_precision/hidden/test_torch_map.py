"""Hidden checks of dtype_map (8.4.j): the same operators one after the other, and what is left."""

from __future__ import annotations

from grader.checks import check

from .asked import HALVES, absent_devices, must_raise, quietly, value_of

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
        # a device is text or a torch.device
        case = _case(draw, dtype=dtype, as_object=dtype == "bfloat16")
        want = reference.run("mapped_by_hand", case)
        seen = quietly(student, expect, "mapped", case)
        got = value_of(expect, seen, "dtype_map")
        expect.keys(got, PARTS, what="the map")
        for part in PARTS:
            expect.equal(got[part], want[part], what=f"{part} under autocast to {dtype}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_model_is_left_as_it_was(student, draw, expect):
    """No hook stays, not even after an error; mode, gradients and dtypes are what they were."""
    for fails in (False, True):
        seen = quietly(
            student, expect, "mapped", _case(draw, fails=fails, dtype=draw.choice(HALVES))
        )
        when = "after an error in the forward" if fails else "afterwards"
        if fails:
            must_raise(expect, seen, "KeyError", "when the model does", "dtype_map")
        else:
            value_of(expect, seen, "dtype_map")
        expect.equal(seen["hooks"], 0, what=f"hooks on the model {when}")
        modes = [name or "the model itself" for name in seen["modes"]]
        told = "Some of them may train while others do not: keep the mode of each module."
        expect.that(not modes, f"Training modes have changed {when}. {told}", modes)
        expect.that(seen["old_grad"], f"A gradient that was there has changed {when}.")
        expect.equal(seen["new_grads"], ["head.weight"], what=f"parameters with a .grad {when}")
        expect.equal(seen["dtypes"], ["torch.float32"], what=f"dtypes of the parameters {when}")


@check("8.4.j", row="optimization_validity", level="pass")
def test_buffers_are_left_as_they_were(student, draw, expect):
    """What a forward moves or assigns anew, like running statistics, is put back, errors or not."""
    # buffers that are moved in their places, those that are assigned anew, and both with an error
    for moves, assigns, fails in ((True, False, False), (False, True, False), (True, True, True)):
        does = {"moves": moves, "assigns": assigns, "fails": fails}
        case = _case(draw, **does, dtype=draw.choice(HALVES))
        seen = quietly(student, expect, "mapped", case)
        if not fails:
            value_of(expect, seen, "dtype_map")
        when = "after an error in the forward" if fails else "afterwards"
        names = ", ".join(map(str, seen["replaced"]))
        expect.that(
            not names,
            f"Other tensors are in the places of buffers {when}: {names}. A forward may assign a "
            "buffer anew: put the old object back, also where there was None.",
        )
        names = ", ".join(map(str, seen["moved"]))
        expect.that(not names, f"Buffers of the model have other values {when}: {names}.")


@check("8.4.j", row="optimization_validity", level="pass")
def test_map_of_a_single_layer(student, draw, expect):
    """A model without children is a module like any other, and its name is empty."""
    for dtype in HALVES:
        case = _case(draw, dtype=dtype, as_object=dtype == "float16")
        got = value_of(expect, quietly(student, expect, "mapped_alone", case), "dtype_map")
        expect.keys(got, PARTS, what="the map")
        expect.equal(got["modules"], {"": dtype}, what="modules of a model that is one nn.Linear")
        want = {"weight": "float32", "bias": "float32"}
        expect.equal(got["gradients"], want, what="gradients of a model that is one nn.Linear")


@check("8.4.j", row="optimization_validity", level="pass")
def test_backward_outside_autocast(student, draw, expect):
    """The forward runs inside autocast, the backward outside of it."""
    seen = quietly(student, expect, "mapped", _case(draw, dtype="bfloat16"))
    value_of(expect, seen, "dtype_map")
    expect.that(not seen["backward_in_autocast"], "The backward ran inside autocast.")


@check("8.4.j", row="optimization_validity", level="pass")
def test_absent_device_is_refused(student, reference, draw, expect):
    """Autocast for a device that is not there, or to another dtype, is refused: it would be off."""
    for number, device in enumerate(absent_devices(reference)):
        case = _case(draw, device=device, dtype="bfloat16", as_object=number % 2 == 1)
        seen = quietly(student, expect, "mapped", case)
        must_raise(expect, seen, "ValueError", f"for {device}, which is not here", "dtype_map")
        expect.equal(seen["hooks"], 0, what="hooks on the model after a refusal")
    for dtype in ("float32", "float64", "float8_e5m2"):
        seen = quietly(student, expect, "mapped", _case(draw, dtype=dtype))
        must_raise(expect, seen, "ValueError", f"for {dtype}", "dtype_map")


@check("8.4.j", row="optimization_validity", level="pass", device="cuda")
def test_map_on_cuda(student, expect):
    """On CUDA, LayerNorm and softmax give float32 where the layers around them give float16."""
    seen = student.run("mapped_on_cuda", {})
    if not seen["cuda"]:
        expect.skip("no CUDA device here")
    expect.keys(seen["map"], PARTS, what="the map")
    want = {"0": "float16", "1": "float32", "2": "float32", "3": "float16"}
    expect.equal(seen["map"]["modules"], want, what="modules under float16 autocast on CUDA")
