"""Hidden checks of 8.1.h and 8.1.l: formulas held against what is measured just now."""

from __future__ import annotations

import re
from itertools import pairwise

from grader.checks import check


def _predicted(student, expect, case):
    widths, batch = case["widths"], case["batch"]
    more = {key: case[key] for key in ("frozen", "input_grad", "activation", "itemsize")}
    got = student.call("torch", "predict_saved_bytes", widths, batch, **more)
    keys = ["input", "hidden", "total"]
    expect.keys(got, keys, what="the result")
    return {key: got[key] for key in keys}


def _case(draw, layers, **more):
    # hidden widths that differ from one another, so that a shape tells the layer
    hidden = draw.shuffled(list(range(20, 60)))[: layers - 1]
    widths = [draw.integer(3, 19), *hidden, draw.integer(3, 9)]
    base = {"widths": widths, "batch": draw.integer(1, 40), "frozen": [], "input_grad": False,
            "activation": "relu", "itemsize": 4}  # fmt: skip
    return {**base, **more}


def _held(student, reference, expect, case, what):
    want = reference.run("mlp_saves", case)
    got = _predicted(student, expect, case)
    for key in ("hidden", "input", "total"):
        expect.equal(got[key], want[key], what=f"{key} of {what}", unit="B")


@check("8.1.h", row="prediction", level="strong")
def test_formula_against_live_mlps(student, reference, draw, expect):
    """For twenty mlps drawn just now the formula gives what autograd saves, byte for byte."""
    for number in range(20):
        layers = draw.integer(1, 5)
        case = _case(
            draw, layers,
            frozen=[layer for layer in range(layers) if draw.integer(0, 2) == 0],
            input_grad=draw.integer(0, 2) == 0,
            activation=("relu", "gelu")[number % 2],
        )  # fmt: skip
        if number == 0:  # one in which each word of the signature matters
            layers = draw.integer(3, 5)
            case = _case(draw, layers, frozen=[0, 2], input_grad=True, activation="gelu")
        what = f"an mlp of {layers} layers, frozen {case['frozen']}, with {case['activation']}"
        _held(student, reference, expect, case, what)


@check("8.1.h", row="prediction", level="pass")
def test_relu_layers_keep_one_tensor(student, reference, draw, expect):
    """With ReLU and every layer trained, each hidden layer costs one tensor."""
    for layers in (1, 2, draw.integer(3, 5)):
        case = _case(draw, layers)
        sizes = [4 * case["batch"] * width for width in case["widths"][:-1]]
        want = {"input": sizes[0], "hidden": sizes[1:], "total": sum(sizes)}
        counted = reference.run("mlp_saves", case)
        expect.equal(counted, want, what="what is measured")
        got = _predicted(student, expect, case)
        for key in ("input", "hidden", "total"):
            expect.equal(got[key], want[key], what=f"{key} of {layers} layers", unit="B")


@check("8.1.h", row="prediction", level="pass")
def test_frozen_layers(student, reference, draw, expect):
    """Frozen first, middle, last and all layers save what their neighbours ask for."""
    for frozen, what in (
        ([0], "the first layer frozen"), ([0, 1], "the first two frozen"),
        ([1], "the second frozen"), ([3], "the last frozen"), ([1, 2, 3], "all but the first"),
        ([0, 1, 2, 3], "everything frozen"), ([2, 0], "layers 2 and 0 frozen"),
    ):  # fmt: skip
        case = _case(draw, 4, frozen=frozen)
        _held(student, reference, expect, case, f"four layers, {what}")


@check("8.1.h", row="prediction", level="pass")
def test_input_that_needs_its_gradient(student, reference, draw, expect):
    """An input that needs its gradient makes every activation reachable; it is not saved itself."""
    for frozen in ([], [0], [0, 1, 2]):
        case = _case(draw, 3, frozen=frozen, input_grad=True)
        what = f"three layers, frozen {frozen}, with a gradient for the input"
        _held(student, reference, expect, case, what)


@check("8.1.h", row="prediction", level="pass")
def test_gelu_keeps_its_input(student, reference, draw, expect):
    """GELU keeps its input beside its output, which the next Linear keeps."""
    for frozen in ([], [1], [0], [0, 1], [2]):
        case = _case(draw, 3, frozen=frozen, activation="gelu")
        _held(student, reference, expect, case, f"three layers with GELU, frozen {frozen}")


@check("8.1.h", row="prediction", level="pass")
def test_sizes_and_refusals(student, reference, draw, expect):
    """Other element sizes and an empty batch are counted; sizes that make no sense are refused."""
    for itemsize in (2, 8):
        case = _case(draw, 3, itemsize=itemsize)
        _held(student, reference, expect, case, f"an mlp with {itemsize} B an element")
    case = _case(draw, 3, batch=0)
    _held(student, reference, expect, case, "an empty batch")
    for wrong, why in (
        ({"widths": [5]}, "a single width"), ({"widths": [5, 0, 3]}, "a width of 0"),
        ({"batch": -1}, "a negative batch"), ({"frozen": [3]}, "a frozen layer beyond the last"),
        ({"frozen": [-1]}, "a frozen layer -1"), ({"activation": "tanh"}, "another activation"),
        ({"itemsize": 0}, "elements of 0 B"),
    ):  # fmt: skip
        case = {**_case(draw, 3), **wrong}
        more = {key: case[key] for key in ("frozen", "input_grad", "activation", "itemsize")}
        answer = student.attempt_call(
            "torch", "predict_saved_bytes", case["widths"], case["batch"], **more
        )
        refused = answer.status == "raised" and answer.error.type == "ValueError"
        expect.that(refused, f"predict_saved_bytes must raise ValueError for {why}.")


# 8.1.l closed_book


def _closed(student, expect, widths, batch):
    seen = student.run("closed", {"widths": widths, "batch": batch})
    keys = ["predicted", "measured", "packs", "nodes", "sentence"]
    expect.keys(seen["answer"], keys, what="the result")
    return seen


@check("8.1.l", row="prediction", level="pass")
def test_closed_book_counts(student, reference, draw, expect):
    """Prediction and measurement agree with each other and with the mlp that was asked for."""
    for layers in (draw.integer(2, 4), 1):
        widths = [draw.integer(3, 9), *draw.integers(10, 30, layers - 1), draw.integer(2, 5)]
        batch = draw.integer(2, 9)
        seen = _closed(student, expect, widths, batch)
        answer = seen["answer"]
        total = 4 * batch * sum(widths[:-1])
        for key in ("predicted", "measured"):
            expect.equal(answer[key], total, what=f"{key} for {layers} layers", unit="B")
        # the input of each Linear, the output of each ReLU, each weight but the first
        packs = layers + (layers - 1) + (layers - 1)
        expect.equal(answer["packs"], packs, what=f"packs for {layers} layers")
        # a sum; addmm, transpose and two leaves a layer; a ReLU between two
        nodes = 1 + 4 * layers + (layers - 1)
        expect.equal(answer["nodes"], nodes, what=f"nodes for {layers} layers")
        forward = [[[batch, n], [n, m]] for n, m in pairwise(widths)]
        ran = all(shapes in seen["products"] for shapes in forward)
        expect.that(ran, "The forward of an mlp of these widths did not run.")
        ran = [[widths[-1], batch], [batch, widths[-2]]] in seen["products"]
        ran = ran or [[widths[-2], batch], [batch, widths[-1]]] in seen["products"]
        expect.that(ran, "The backward of that mlp did not run.")
        note = "measured comes out the same where hooks are forbidden: it was not measured by them."
        expect.that(seen["hooked"], note)


@check("8.1.l", row="prediction", level="pass")
def test_closed_book_sentence(student, draw, expect):
    """The sentence names the largest saved tensor, the first of equal ones, and no other."""
    big = draw.integer(20, 30)
    for widths, name in (
        ([big, 5, 7, 3], "input"), ([4, big, 7, big + 9], "hidden_1"),
        ([4, 6, big, 7, 3], "hidden_2"), ([big, 6, big, 2], "input"),
        ([3, big, big, 2], "hidden_1"),
    ):  # fmt: skip
        answer = _closed(student, expect, widths, draw.integer(2, 5))["answer"]
        sentence = str(answer["sentence"]).casefold()
        expect.that(len(sentence.split()) > 1, "The sentence is a single word.")
        named = re.findall(r"(?<![a-z_0-9])(?:input|hidden_\d+)(?![a-z_0-9])", sentence)
        expect.that(name in named, "The sentence does not name the largest saved tensor.")
        expect.that(set(named) == {name}, "The sentence must name one tensor, the largest.")
