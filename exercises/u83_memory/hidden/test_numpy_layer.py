"""Hidden checks of unit 8.3, NumPy stage: a transformer layer (8.3.g)."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.many import refusals, values_of

NO_COUNTS = (-1, 1.5, 2.0, math.nan, math.inf, True, None)


LAYER = ("norms", "attention", "scores", "mlp", "input", "total")


def _layer(student, expect, s, b, h, a, **named):
    call = [[s, b, h, a], named]
    ((_, got),) = values_of(student, expect, "transformer_activation_bytes", [call])
    expect.keys(got, LAYER, what="the result")
    return {name: got[name] for name in LAYER}


def _size(draw, t=1):
    a = t * draw.integer(2, 4)
    return t * draw.integer(5, 30), draw.integer(1, 5), a * draw.integer(3, 9), a


def _want(**parts):
    whole = {name: parts.get(name, 0) for name in LAYER[:-1]}
    return {**whole, "total": sum(whole.values())}


@check("8.3.g", row="prediction", level="pass")
def test_parts_of_a_layer(student, draw, expect):
    """A layer keeps 34 s b h + 5 a s^2 b bytes, in four named parts."""
    s, b, h, a = _size(draw)
    n = s * b * h
    want = _want(norms=4 * n, attention=11 * n, scores=5 * a * s * s * b, mlp=19 * n)
    expect.equal(_layer(student, expect, s, b, h, a), want, what="a layer on one device", unit="B")
    calls = [[[s, b, h, a], {}]]
    seen = student.run("numpy_calls", {"function": "transformer_activation_bytes", "calls": calls})
    expect.equal(
        seen[0].get("value"), want, what="the same layer, from integers of NumPy", unit="B"
    )


@check("8.3.g", row="prediction", level="strong")
def test_split_over_devices(student, draw, expect):
    """Tensor parallelism splits some of it, sequence parallelism the rest."""
    t = draw.choice([2, 4, 8])
    s, b, h, a = _size(draw, t)
    n = s * b * h
    scores = 5 * a * s * s * b // t
    got = _layer(student, expect, s, b, h, a, tensor_parallel=t)
    want = _want(norms=4 * n, attention=3 * n + 8 * n // t, scores=scores,
                 mlp=3 * n + 16 * n // t)  # fmt: skip
    expect.equal(got, want, what=f"a layer on {t} devices", unit="B")
    got = _layer(student, expect, s, b, h, a, tensor_parallel=t, sequence_parallel=True)
    want = _want(norms=4 * n // t, attention=11 * n // t, scores=scores, mlp=19 * n // t)
    expect.equal(got, want, what=f"a layer on {t} devices, split along the sequence", unit="B")


@check("8.3.g", row="prediction", level="strong")
def test_recomputed_layers(student, draw, expect):
    """Selective recomputation drops the scores alone, full keeps the layer's whole input."""
    t = draw.choice([2, 4])
    s, b, h, a = _size(draw, t)
    n = s * b * h
    got = _layer(student, expect, s, b, h, a, recompute="selective")
    want = _want(norms=4 * n, attention=11 * n, mlp=19 * n)
    expect.equal(got, want, what="a layer with selective recomputation", unit="B")
    for sequence in (False, True):
        got = _layer(student, expect, s, b, h, a, tensor_parallel=t, sequence_parallel=sequence,
                     recompute="full")  # fmt: skip
        expect.equal(got, _want(input=2 * n), what="a layer with full recomputation", unit="B")


@check("8.3.g", row="prediction", level="pass")
def test_layers_that_cannot_be_split(student, draw, expect):
    """Sizes that are no multiple of t, sizes of 0 and unknown recomputations are refused."""
    cases = [
        ("if the width is no multiple of t", [8, 1, 10, 4], {"tensor_parallel": 4}),
        ("if the heads are no multiple of t", [8, 1, 12, 6], {"tensor_parallel": 4}),
        ("if the sequence is to be split and is no multiple of t", [9, 1, 8, 4],
         {"tensor_parallel": 4, "sequence_parallel": True}),
        ("if the width is no multiple of t, with full recomputation too", [8, 1, 10, 4],
         {"tensor_parallel": 4, "recompute": "full"}),
        ("for an unknown recomputation", [8, 1, 8, 4], {"recompute": "some"}),
        ("for 0 devices", [8, 1, 8, 4], {"tensor_parallel": 0}),
        ("for 0 heads", [8, 1, 8, 0], {}),
        *[(f"for {odd!r} tokens", [odd, 1, 8, 4], {}) for odd in NO_COUNTS],
    ]  # fmt: skip
    refusals(student, expect, "transformer_activation_bytes", cases)
    got = _layer(student, expect, 9, 1, 8, 4, tensor_parallel=4)
    expect.equal(got["norms"], 4 * 72, what="norms of a sequence that is not split", unit="B")
