"""Hidden checks of unit 8.3, NumPy stage: what autograd keeps (8.3.f)."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.many import refusals, values_of

NO_COUNTS = (-1, 1.5, 2.0, math.nan, math.inf, True, None)


def _as_numpy(student, expect, function, cases):
    """Return what some calls gave whose integers came as NumPy's."""
    seen = student.run("numpy_calls", {"function": function, "calls": cases})
    for (arguments, _), answer in zip(cases, seen, strict=True):
        raised = answer.get("raised")
        note = f"{function} raised {(raised or [''])[0]} for integers of NumPy."
        expect.that(not raised, note, arguments if raised else None)
    return [answer.get("value") for answer in seen]


def _no_counts(*before, after=()):
    """Return a refusal for each thing that is no count, at one place of the arguments."""
    return [(f"for {odd!r} in place of a count", [*before, odd, *after], {}) for odd in NO_COUNTS]


def _f(student, expect, *cases):
    calls = [[list(case), {}] for case in cases]
    return [value for _, value in values_of(student, expect, "activation_bytes", calls)]


@check("8.3.f", row="prediction", level="pass")
def test_what_each_layer_keeps(student, draw, expect):
    """Each layer keeps what its derivative needs: input, output, mask or statistics."""
    b, n, m = draw.integer(2, 60), draw.integer(3, 60), draw.integer(3, 60)
    first = ["linear", m]
    for layers, elements, what in (
        ([first], 0, "a linear on data"),
        ([first, ["relu"]], b * m, "a ReLU"),
        ([first, ["tanh"]], b * m, "a tanh"),
        ([first, ["gelu"]], b * m, "a GELU"),
        ([first, ["layernorm"]], b * m + 2 * b, "a LayerNorm"),
        ([first, ["dropout"]], b * m, "a dropout"),
        ([first, ["linear", n]], b * m, "a second linear"),
        ([first, ["cross_entropy"]], b * m + 1, "a cross entropy"),
        ([["layernorm"]], 2 * b, "a LayerNorm on data"),
        ([["layernorm"], ["dropout"]], 2 * b + b * n, "a dropout after a LayerNorm"),
    ):
        (got,) = _f(student, expect, (layers, b, n))
        expect.equal(got, 4 * elements, what=f"bytes that {what} keeps", unit="B")
    chain = [[first, "relu", ["dropout"], first], b, n]
    (got,) = _as_numpy(student, expect, "activation_bytes", [[chain, {}]])
    expect.equal(got, 4 * 3 * b * m, what="bytes of a chain with a bare name", unit="B")


@check("8.3.f", row="prediction", level="pass")
def test_a_shared_tensor_counts_once(student, draw, expect):
    """What a ReLU and the linear behind it both keep is one tensor; what a ReLU got is gone."""
    b, n, m = draw.integer(2, 60), draw.integer(3, 60), draw.integer(3, 60)
    chain = [["linear", n], ["relu"], ["linear", m], ["relu"], ["linear", 5], ["cross_entropy"]]
    (got,) = _f(student, expect, (chain, b, 9))
    expect.equal(got, 4 * (b * n + b * m + 5 * b + 1), what="bytes of an mlp", unit="B")
    (got,) = _f(student, expect, ([["linear", n], ["gelu"], ["linear", m]], b, 9))
    expect.equal(got, 4 * 2 * b * n, what="bytes of a GELU between two linears", unit="B")
    chain = [["linear", n], ["relu"], ["gelu"], ["layernorm"], ["linear", m]]
    (got,) = _f(student, expect, (chain, b, 9))
    want = 4 * (b * n + b * n + 2 * b + b * n)
    expect.equal(got, want, what="bytes of a ReLU, a GELU and a LayerNorm in turn", unit="B")


@check("8.3.f", row="prediction", level="pass")
def test_nothing_is_kept_for_data(student, draw, expect):
    """In front of the first weight nothing needs a gradient; an empty batch and chain are fine."""
    b, n, m = draw.integer(2, 60), draw.integer(3, 60), draw.integer(3, 60)
    (got,) = _f(student, expect, ([["relu"], ["dropout"], ["gelu"], ["linear", m]], b, n))
    want = 4 * b * n
    expect.equal(got, want, what="bytes that a linear keeps behind layers on data", unit="B")
    (got,) = _f(student, expect, ([["relu"], ["cross_entropy"]], b, n))
    expect.equal(got, 0, what="bytes of a chain without weights", unit="B")
    (got,) = _f(student, expect, ([], b, n))
    expect.equal(got, 0, what="bytes of no layers", unit="B")
    (got,) = _f(
        student, expect, ([["linear", m], ["relu"], ["linear", 3], ["cross_entropy"]], 0, n)
    )
    expect.equal(got, 4, what="bytes of a batch without examples", unit="B")


KINDS = ("relu", "tanh", "gelu", "dropout", "layernorm")


@check("8.3.f", row="prediction", level="strong")
def test_live_chains(student, reference, draw, expect):
    """For chains drawn just now, in three dtypes, it is what autograd saves, to the byte."""
    chains = []
    for number in range(12):
        layers = []
        for _ in range(draw.integer(2, 7)):
            linear = draw.integer(0, 2) == 0
            layers.append(["linear", draw.integer(1, 30)] if linear else [draw.choice(KINDS)])
        if number % 2:
            layers.append(["cross_entropy"])
        sizes = {"batch": draw.integer(1, 20), "width": draw.integer(1, 30)}
        chains.append({**sizes, "layers": layers, "itemsize": (2, 4, 8)[number % 3]})
    live = reference.run("live_saved", {"chains": chains}, stage="torch")
    cases = [(c["layers"], c["batch"], c["width"], c["itemsize"]) for c in chains]
    for case, got, want in zip(cases, _f(student, expect, *cases), live, strict=True):
        names = " ".join(str(layer[0]) for layer in case[0])
        expect.equal(got, want, what=f"bytes of {names} with {case[3]} B an element", unit="B")


@check("8.3.f", row="prediction", level="pass")
def test_chains_that_cannot_be(student, draw, expect):
    """Unknown layers, a loss before the end, widths of 0 and odd item sizes are refused."""
    fine = [["linear", 4]]
    cases = [
        ("for an unknown layer", [[["conv", 3]], 2, 3], {}),
        ("for a linear without a width", [[["linear"]], 2, 3], {}),
        ("for a ReLU with a width", [[["linear", 3], ["relu", 3]], 2, 3], {}),
        ("for a linear of width 0", [[["linear", 0]], 2, 3], {}),
        ("for data of width 0", [fine, 2, 0], {}),
        ("for cross_entropy before the end", [[*fine, ["cross_entropy"], ["relu"]], 2, 3], {}),
        ("for an item of 3 B", [fine, 2, 3, 3], {}),
        ("for an item of 1 B", [fine, 2, 3, 1], {}),
        *_no_counts(fine, after=[3]),
    ]
    refusals(student, expect, "activation_bytes", cases)
