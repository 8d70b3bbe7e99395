"""Hidden checks of training_flops (8.9.c) by single products and by printed figures."""

from __future__ import annotations

import math
from itertools import product

from grader.checks import check
from grader.checks.many import exact, refusals, refused, values_of


def _products(draw, count):
    return [[draw.integer(1, 64), draw.integer(65, 300), draw.integer(3, 40)] for _ in range(count)]


FLOP_KEYS = ("forward", "backward", "model", "recomputed", "hardware")


def _flops(expect, got, want, keys=FLOP_KEYS):
    expect.keys(got, keys, what="the result")
    for key in keys:
        # a float within 1e-12 is the same number; an overflown int64 is not
        expect.close(got[key], want[key], rtol=1e-12, what=key, unit="FLOP")


@check("8.9.c", row="prediction", level="pass")
def test_forward_and_backward(student, draw, expect):
    """A product costs two FLOPs a term, its backward is two products, the first may be one."""
    products, attention = _products(draw, 4), draw.integer(1000, 9000)
    terms = [m * k * n for m, k, n in products]
    forward = 2 * sum(terms) + attention
    want = {"forward": forward, "backward": 2 * forward, "model": 3 * forward}
    got = student.numpy.training_flops(products, attention)
    _flops(expect, got, want, tuple(want))
    saved = 2 * terms[0]
    want = {"forward": forward, "backward": 2 * forward - saved, "model": 3 * forward - saved}
    got = student.numpy.training_flops(products, attention, first_input_needs_grad=False)
    _flops(expect, got, want, tuple(want))
    got = student.numpy.training_flops([], attention, first_input_needs_grad=False)
    _flops(expect, got, {"forward": attention, "backward": 2 * attention}, ("forward", "backward"))
    refused(student, expect, "if a size is negative", "training_flops", [[2, -3, 4]])


@check("8.9.c", row="prediction", level="pass")
def test_recomputation_is_not_model_work(student, draw, expect):
    """Checkpointing raises the hardware FLOPs and leaves the model FLOPs alone."""
    products, attention = _products(draw, 3), draw.integer(1000, 9000)
    forward = 2 * sum(m * k * n for m, k, n in products) + attention
    for word, again in (("none", 0), ("full", forward), ("attention", attention)):
        got = student.numpy.training_flops(products, attention, word)
        expect.keys(got, FLOP_KEYS, what="the result")
        for key, size in (
            ("model", 3 * forward),
            ("recomputed", again),
            ("hardware", 3 * forward + again),
        ):
            expect.close(
                got[key], size, rtol=1e-12, what=f"{key} with recompute={word!r}", unit="FLOP"
            )
    refused(
        student, expect, "if recompute is an unknown word", "training_flops", products, 0, "some"
    )


@check("8.9.c", row="prediction", level="strong")
def test_published_training_runs(student, expect):
    """The calculator gives the compute that papers have printed, to the last digit where exact."""
    block = [[1024, 768, 2304], [1024, 768, 768], [1024, 768, 3072], [1024, 3072, 768]]
    gpt2 = student.numpy.training_flops([*(block * 12), [1024, 768, 50257]], 38654705664)
    expect.keys(gpt2, FLOP_KEYS, what="the result")
    expect.equal(gpt2["backward"], 583296614400, what="backward of nanoGPT's GPT-2", unit="FLOP")
    expect.equal(gpt2["model"], 874944921600, what="step of nanoGPT's GPT-2", unit="FLOP")
    # one product of all weights with all tokens is the rule 6 N D; the table prints three digits
    davinci = student.numpy.training_flops([[300 * 10**9, 12850 * 10**6, 1]])
    expect.keys(davinci, FLOP_KEYS, what="the result")
    expect.close(davinci["model"], 2.31e22, rtol=5e-3, what="training of GPT-3 13B", unit="FLOP")
    # arXiv:2104.04473: 8 T P FLOPs with full recomputation, 84 days for a trillion parameters
    trillion = student.numpy.training_flops([[450 * 10**9, 1008 * 10**9, 1]], 0, "full")
    expect.keys(trillion, FLOP_KEYS, what="the result")
    days = trillion["hardware"] / (3072 * 163e12) / 86400
    expect.close(days, 84, rtol=0.01, what="days of Megatron's 1T run")
    # arXiv:2203.15556, Table A4, 73M: softmax within the attention cost, no output layer
    s, d, f, heads, layers = 2048, 640, 2560, 10, 10
    chinchilla = [[s, d, 3 * d], [s, d, d], [s, d, f], [s, f, d]] * layers
    cost = layers * (4 * s * s * d + 3 * heads * s * s)
    got = student.numpy.training_flops(chinchilla, cost)
    expect.keys(got, FLOP_KEYS, what="the result")
    expect.equal(got["model"], 929877196800, what="one sequence of Chinchilla 73M", unit="FLOP")


def _training(matmuls, attention=0, recompute="none", first=True):
    """Return the step's FLOPs, one backward product at a time."""
    sizes = [2 * math.prod(sizes) for sizes in matmuls]
    forward = sum(sizes) + attention
    gradients = [*sizes, *(sizes if first else sizes[1:]), attention, attention]
    again = {"none": 0, "attention": attention, "full": forward}[recompute]
    return {
        "forward": forward,
        "backward": sum(gradients),
        "model": forward + sum(gradients),
        "recomputed": again,
        "hardware": forward + sum(gradients) + again,
    }


@check("8.9.c", row="prediction", level="pass")
def test_every_combination_exactly(student, draw, expect):
    """The FLOPs are exact integers for any products, however large, and any choice."""
    cases, truths = [], []
    for top in (9, 5000, 3 * 10**8):  # the products of the last pass 1e24
        for count, first, word in product(
            (0, 1, 2, 4), (True, False), ("none", "attention", "full")
        ):
            matmuls = [draw.integers(top // 2, top, 3) for _ in range(count)]
            attention = draw.choice([0, draw.integer(1, top), top**2 * draw.integer(1, top)])
            named = {"recompute": word} if first else {"recompute": word,
                                                       "first_input_needs_grad": False}  # fmt: skip
            cases.append(((matmuls, attention), named))
            truths.append(_training(matmuls, attention, word, first))
    matmuls = [draw.integers(0, 1, 3), *(draw.integers(1, 9, 3) for _ in range(2))]
    cases.append(((matmuls,), {}))
    truths.append(_training(matmuls))
    values = values_of(student, expect, "training_flops", cases)
    for (words, got), want in zip(values, truths, strict=True):
        exact(expect, got, want, words)


@check("8.9.c", row="prediction", level="pass")
def test_sizes_that_cannot_be(student, draw, expect):
    """A negative size is refused wherever it stands, also beside a second one or a zero."""
    good = [draw.integers(1, 9, 3) for _ in range(3)]
    cases = []
    for index, place in product(range(3), range(3)):
        bad = [list(sizes) for sizes in good]
        bad[index][place] *= -1
        cases.append((f"if size {place} of product {index} is negative", (bad,), {}))
        bad = [list(sizes) for sizes in bad]
        bad[index][place - 1] *= -1
        cases.append((f"if two sizes of product {index} are negative", (bad,), {}))
        bad = [list(sizes) for sizes in bad]
        bad[index][place - 1] = 0
        cases.append((f"if a size of product {index} is negative and one is 0", (bad,), {}))
    for matmuls, word in product((good, []), ("none", "attention", "full")):
        cases.append(("if the attention cost is negative", (matmuls, -1, word), {}))
    for matmuls, word in product((good, []), ("some", "", "layers")):
        cases.append((f"if recompute is {word!r}", (matmuls, 0, word), {}))
    refusals(student, expect, "training_flops", cases)
