"""Hidden checks of unit 8.3, NumPy stage: a transformer layer (8.3.g)."""

from __future__ import annotations

from itertools import product

from grader.checks import check
from grader.checks.many import refusals

from .counts import as_numpy, no_counts, values

LAYER = ("norms", "attention", "scores", "mlp", "input", "total")


def _layer(student, expect, s, b, h, a, **named):
    (got,) = values(student, expect, "transformer_activation_bytes", [[[s, b, h, a], named]])
    return _parts(expect, got)


def _parts(expect, got):
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
    # a layer of GPT-3: its scores alone have more than 2**34 bytes
    large = [2048, 8, 12_288, 96]
    n = 2048 * 8 * 12_288
    full = _want(norms=4 * n, attention=11 * n, scores=5 * 96 * 2048 * 2048 * 8, mlp=19 * n)
    expect.equal(_layer(student, expect, *large), full, what="a layer of GPT-3", unit="B")
    calls = [[[s, b, h, a], {}], [large, {}]]
    for words, seen in as_numpy(student, expect, "transformer_activation_bytes", calls):
        got = [_parts(expect, one) for one in seen]
        expect.equal(got, [want, full], what=f"the same layers, from {words}", unit="B")


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
    calls = [[[s, b, h, a], {"tensor_parallel": t, "sequence_parallel": True}]]
    for words, (seen,) in as_numpy(student, expect, "transformer_activation_bytes", calls):
        expect.equal(_parts(expect, seen), want, what=f"the same, from {words}", unit="B")


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
    """Sizes that are no multiple of t, whatever is recomputed, and what is no count are refused."""
    cases = [("for an unknown recomputation", [8, 1, 8, 4], {"recompute": "some"})]
    for recompute, sequence in product(("none", "selective", "full"), (False, True)):
        named = {"tensor_parallel": 4, "sequence_parallel": sequence, "recompute": recompute}
        where = f"(recompute={recompute!r}, sequence_parallel={sequence})"
        cases += [(f"if the width is no multiple of t {where}", [8, 1, 10, 4], named),
                  (f"if the heads are no multiple of t {where}", [8, 1, 12, 6], named)]  # fmt: skip
        if sequence:
            why = f"if the sequence is to be split and is no multiple of t {where}"
            cases.append((why, [9, 1, 8, 4], named))
    call = [8, 3, 8, 4], {"tensor_parallel": 2}
    places = {name: (place,) for place, name in enumerate("sbha")}
    cases += no_counts(call, {**places, "tensor_parallel": ("tensor_parallel",)}, least=1)
    refusals(student, expect, "transformer_activation_bytes", cases)
    got = _layer(student, expect, 9, 1, 8, 4, tensor_parallel=4)
    expect.equal(got["norms"], 4 * 72, what="norms of a sequence that is not split", unit="B")
