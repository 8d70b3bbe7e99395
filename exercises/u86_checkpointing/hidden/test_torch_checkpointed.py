"""Hidden checks of checkpointed (8.6.h): bits are compared, bytes and calls counted."""

from __future__ import annotations

from grader.checks import check
from grader.checks.watched import watched

from .cut import KIB, WORDS, cannot_be_cut, model_case, same_step, second_runs


@check("8.6.h", row="optimization_validity", level="pass")
def test_every_block_gets_its_gradient(student, reference, draw, expect):
    """All gradients are there and the same, also those of the first block, which reads data."""
    for name, more in (("data", {}), ("an input that needs a gradient", {"input_grad": True})):
        same_step(student, reference, expect, model_case(draw, **more), name)


@check("8.6.h", row="optimization_validity", level="strong")
def test_the_masks_of_the_forward(student, reference, draw, expect):
    """With dropout the gradients belong to the forward's masks, whoever drew in between."""
    for between in (0, draw.integer(1, 9)):
        case = model_case(draw, drop=0.3, between=between)
        name = "dropout, and numbers drawn in between" if between else "dropout"
        same_step(student, reference, expect, case, name)


@check("8.6.h", row="optimization_validity", level="pass")
def test_gradients_asked_for_by_name(student, reference, draw, expect):
    """torch.autograd.grad gives what it gives for the plain model, as a penalty needs it."""
    case = model_case(draw, by_grad=True, input_grad=True)
    same_step(student, reference, expect, case, "torch.autograd.grad", keys=("output", "found"))


@check("8.6.h", row="optimization_validity", level="pass")
def test_one_segment_at_a_time(student, draw, expect):
    """In the backward the segments are run again one by one, the last first, each block once."""
    case = model_case(draw)
    seen = watched(student, expect, "measured", case)
    expect.equal(seen["calls"]["forward"], list(range(case["n"])), what="blocks run in the forward")
    want = second_runs(case)
    expect.equal(seen["calls"]["backward"], want, what="blocks run again in the backward")


def _large(draw, **more):
    """Return a model whose activations are large beside all else."""
    return model_case(draw, n=6, segments=draw.choice([2, 3]), d=32, h=128, batch=256, **more)


@check("8.6.h", row="optimization_validity", level="pass")
def test_only_inputs_of_segments_stay(student, reference, draw, expect):
    """Between forward and backward the inputs of segments and the output are alive, no more."""
    for more in (
        {}, {"drop": 0.3}, {"drop": 0.3, "evaluation": True},
        {"frozen": "all", "input_grad": True},
    ):  # fmt: skip
        case = _large(draw, **more)
        seen = watched(student, expect, "measured", case)
        size = 4 * case["batch"] * case["d"]
        # a state of torch's generator takes 5 KiB
        most = case["segments"] * (size + 8 * KIB)
        expect.between(seen["live"], size, most, what="bytes the forward leaves alive", unit="B")
        true = reference.run("measured", case)
        most = 1.1 * true["peak"] + 8 * KIB
        expect.between(seen["peak"], 0, most, what="peak of live bytes in the step", unit="B")


@check("8.6.h", row="optimization_validity", level="pass")
def test_nothing_stays_after_the_step(student, draw, expect):
    """After the backward only gradients are new, also behind a function that saves by itself."""
    for kind in ("mlp", "own", "norm"):
        seen = watched(student, expect, "measured", model_case(draw, kind=kind, batch=256))
        most = 4 * KIB
        what = "bytes alive after the step, gradients left out"
        expect.between(seen["left"], -most, most, what=what, unit="B")


@check("8.6.h", row="optimization_validity", level="strong")
def test_statistics_move_once(student, reference, draw, expect):
    """Running statistics are updated once a step, by the forward, with or without a backward."""
    case = model_case(draw, kind="norm", forward_only=True)
    seen, plain = watched(student, expect, "stepped", case), reference.run("plain_step", case)
    expect.equal(seen["after forward"], plain["after forward"], what="buffers after a forward")
    case = model_case(draw, kind="norm")
    seen, plain = watched(student, expect, "stepped", case), reference.run("plain_step", case)
    expect.equal(seen["buffers"], plain["buffers"], what="buffers after a step")


@check("8.6.h", row="optimization_validity", level="strong")
def test_the_second_run_reads_what_the_first_read(student, reference, draw, expect):
    """A block that reads a buffer it writes has the gradient of what it computed."""
    case = model_case(draw, kind="count", drop=0.3)
    same_step(student, reference, expect, case, "a block with a count")
    case = model_case(draw, kind="count", drop=0.3, twice=True)
    same_step(student, reference, expect, case, "a block with a count, two forwards, one backward")
    case = {**model_case(draw, kind="count", drop=0.3), "backward twice": True}
    same_step(student, reference, expect, case, "a block with a count, two backwards of one graph")


@check("8.6.h", row="optimization_validity", level="pass")
def test_ordinary_models(student, reference, draw, expect):
    """Shared and frozen parameters, odd batches, views and NaN are as in the plain model."""
    cases = {
        "a weight shared by two blocks": {"shared": True},
        "frozen parameters": {"frozen": True},
        "a batch of one": {"batch": 1},
        "an empty batch": {"batch": 0},
        "a transposed view": {"view": True},
        "NaN in the input": {"nan": True},
        "one segment": {"segments": 1},
        "tokens": {"tokens": 5},
        "half precision": {"half": True},
    }
    for name, more in cases.items():
        same_step(student, reference, expect, model_case(draw, **more), name)
    case = model_case(draw)
    same_step(
        student, reference, expect, {**case, "segments": case["n"]}, "a segment for each block"
    )


@check("8.6.h", row="optimization_validity", level="pass")
def test_its_parameters_are_the_models(student, draw, expect):
    """The module has the model's own parameters, the same objects in the same order."""
    seen = watched(student, expect, "stepped", model_case(draw))
    expect.that(seen["own"], "The module's parameters are not the model's own, in its order.")


@check("8.6.h", row="optimization_validity", level="pass")
def test_autocast_and_evaluation(student, reference, draw, expect):
    """Under autocast and in evaluation mode the step is the plain one, too."""
    for name, more in (
        ("autocast to bfloat16", {"autocast": True, "drop": 0.3}),
        ("evaluation mode", {"evaluation": True, "drop": 0.3, "kind": "norm"}),
        ("some layers in evaluation mode", {"evaluated": [0, 2], "drop": 0.3, "kind": "norm"}),
        ("put into evaluation mode later", {"evaluated later": True, "drop": 0.3, "kind": "norm"}),
    ):
        same_step(student, reference, expect, model_case(draw, **more), name)


@check("8.6.h", row="optimization_validity", level="pass")
def test_without_gradients_nothing_is_kept(student, draw, expect):
    """Without gradients the model is run once, and only its output stays alive."""
    case = _large(draw, no_grad=True)
    seen = watched(student, expect, "measured", case)
    expect.equal(seen["calls"]["forward"], list(range(case["n"])), what="blocks run")
    size = 4 * case["batch"] * case["d"]
    most = size + 8 * KIB * case["segments"]
    expect.between(seen["live"], size, most, what="bytes alive afterwards", unit="B")


@check("8.6.h", row="optimization_validity", level="pass")
def test_models_that_cannot_be_cut(student, draw, expect):
    """Numbers of segments that cannot be are refused when the module is made."""
    cannot_be_cut(student, draw, expect, "checkpointed")


@check("8.6.h", row="optimization_validity", level="pass", device="cuda")
def test_the_generator_of_the_device(student, reference, draw, expect):
    """On a device, too, the gradients belong to the forward's dropout masks."""
    case = model_case(draw, drop=0.3, device="cuda", d=64, h=128, batch=64)
    seen, plain = student.run("stepped", case), reference.run("plain_step", case)
    for key in ("output", "gradients"):
        expect.close(seen[key], plain[key], rtol=1e-4, atol=1e-4, what=f"{WORDS[key]} on a device")
