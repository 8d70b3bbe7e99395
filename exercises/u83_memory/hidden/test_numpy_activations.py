"""Hidden checks of unit 8.3, NumPy stage: what autograd keeps (8.3.f)."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refusals

from .counts import as_any_integers, no_counts, values


def _f(student, expect, *cases):
    return values(student, expect, "activation_bytes", [[list(case), {}] for case in cases])


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
    chain = [first, "relu", ["dropout"], first]
    large = [["linear", 90_000], "relu", ["linear", 3]]  # more than 2**32 elements
    cases = [(chain, b, n), (large, 60_000, 2), (chain, b, n, 8)]
    want = [4 * 3 * b * m, 4 * 60_000 * 90_000, 8 * 3 * b * m]
    calls = [[list(case), {}] for case in cases]
    for words, got in as_any_integers(student, expect, "activation_bytes", calls):
        what = f"bytes of a chain with a bare name, a large one, and 8 B an element, from {words}"
        expect.equal(got, want, what=what, unit="B")


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
        ("for cross_entropy before the end", [[*fine, ["cross_entropy"], ["relu"]], 2, 3], {}),
        ("for an item of 3 B", [fine, 2, 3, 3], {}),
        ("for an item of 1 B", [fine, 2, 3, 1], {}),
    ]
    call = [[["linear", 4], ["relu"], ["linear", 3]], 2, 3, 4], {}
    cases += no_counts(call, {"the batch": (1,), "the itemsize": (3,)})
    widths = {"the width of the data": (2,), "a width": (0, 0, 1), "a later width": (0, 2, 1)}
    cases += no_counts(call, widths, least=1)
    refusals(student, expect, "activation_bytes", cases)
