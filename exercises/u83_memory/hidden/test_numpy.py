"""Hidden checks of unit 8.3, NumPy stage, sizes and accountants: 8.3.a to g, and j."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

from grader.checks import check

KIB, MIB = 2**10, 2**20
POWERS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}  # fmt: skip
NO_COUNTS = (-1, 1.5, 2.0, math.nan, math.inf, True, None)


def _answers(student, expect, function, calls, numpy=False):
    """Call a function of the stage many times; return its answers as dicts, whatever it is."""
    case = {"function": function, "calls": calls, "numpy": numpy}
    found = student.run("calls", case)
    for (arguments, named), answer in zip(calls, found, strict=True):
        if not answer["kept"]:
            shown = [*arguments, *(f"{key}={value!r}" for key, value in named.items())]
            expect.unmet(f"{function} changed its arguments.", got=shown)
    return found


def _values(student, expect, function, calls, numpy=False):
    """Return what some calls gave; an error in one of them is the student's."""
    values = []
    for call, answer in zip(calls, _answers(student, expect, function, calls, numpy), strict=True):
        raised = answer.get("raised")
        expect.that(not raised, f"{function} raised {(raised or [''])[0]} for a right input.",
                    None if not raised else call[0])  # fmt: skip
        values.append(answer.get("value"))
    return values


def _refused(student, expect, function, cases):
    """Expect each of some calls, with the reason, to raise ValueError."""
    calls = [[list(arguments), named] for _, arguments, named in cases]
    for (why, *_), answer in zip(cases, _answers(student, expect, function, calls), strict=True):
        raised = answer.get("raised")
        refused = bool(raised) and "ValueError" in raised
        seen = raised[0] if raised else answer.get("value")
        expect.that(refused, f"{function} must raise ValueError {why}.", None if refused else seen)


def _no_counts(*before, after=()):
    """Return a refusal for each thing that is no count, at one place of the arguments."""
    return [(f"for {odd!r} in place of a count", [*before, odd, *after], {}) for odd in NO_COUNTS]


# 8.3.a to_bytes


@check("8.3.a", row="prediction", level="pass")
def test_powers_of_1000_and_of_1024(student, draw, expect):
    """A size with a unit becomes its bytes: kB to TB by powers of 1000, KiB to TiB of 1024."""
    cases = []
    for unit, power in POWERS.items():
        n = draw.integer(2, 900)
        cases.append((f"{n} {unit}", n * power))
    n = draw.integer(10, 99)
    cases += [(f"{n}MiB", n * MIB), (f"  {n}.5 KiB ", n * KIB + 512), (f"{n}e3 kB", n * 10**6),
              (f"{n}.25 MB", n * 10**6 + 250_000), ("0 GB", 0), (n * 1000 + 7, n * 1000 + 7),
              (0, 0)]  # fmt: skip
    got = _values(student, expect, "to_bytes", [[[text], {}] for text, _ in cases])
    for (text, want), value in zip(cases, got, strict=True):
        expect.equal(value, want, what=f"to_bytes({text!r})", unit="B")
    (got,) = _values(student, expect, "to_bytes", [[[n], {}]], numpy=True)
    expect.equal(got, n, what="to_bytes of an integer of NumPy", unit="B")


@check("8.3.a", row="prediction", level="pass")
def test_every_digit_counts(student, draw, expect):
    """No digit of a long number is lost, and a fraction of a byte is rounded to the nearest."""
    exact = 2**53 + 2 * draw.integer(1, 10**6) + 1
    cases = [(f"{exact} B", exact), (f"{exact}000 kB", exact * 10**6), (exact, exact)]
    for _ in range(6):
        number = Decimal(draw.integer(1, 10**6)) / 1000 + Decimal("0.0001")
        scaled = number * POWERS["MiB"]
        if abs(scaled % 1 - Decimal("0.5")) > Decimal("0.01"):
            cases.append((f"{number} MiB", int(scaled.quantize(Decimal(1), ROUND_HALF_UP))))
    got = _values(student, expect, "to_bytes", [[[text], {}] for text, _ in cases])
    for (text, want), value in zip(cases, got, strict=True):
        expect.equal(value, want, what=f"to_bytes({text!r})", unit="B")
        fine = isinstance(value, int) and not isinstance(value, bool)
        expect.that(fine, "A size must come out as an int.", value)


@check("8.3.a", row="prediction", level="pass")
def test_what_is_no_size(student, draw, expect):
    """A size without a unit, with an unknown one or below zero is refused."""
    n = draw.integer(2, 99)
    texts = [f"{n}", f"{n} KB", f"{n} Mb", f"{n} mib", f"-{n} B", f"{n} MiB/s", "MiB", "", "nan B",
             "inf B", f"{n} {n} B", f"{n} MB GB"]  # fmt: skip
    _refused(student, expect, "to_bytes", [(f"for {text!r}", [text], {}) for text in texts])
    _refused(student, expect, "to_bytes", _no_counts())


# 8.3.b and c: blocks and segments

VECTORS = [(0, 0, 0), (1, 512, 2), (511, 512, 2), (512, 512, 2), (513, 1024, 2),
           (4000, 4096, 2), (MIB - 1, MIB, 2), (MIB, MIB, 2), (MIB + 1, MIB + 512, 20),
           (10 * MIB - 513, 10 * MIB - 512, 20), (10 * MIB - 512, 10 * MIB - 512, 20),
           (10 * MIB - 1, 10 * MIB, 10), (10 * MIB, 10 * MIB, 10),
           (10 * MIB + 1, 10 * MIB + 512, 12), (12 * MIB + 1, 12 * MIB + 512, 14),
           (64 * MIB, 64 * MIB, 64)]  # fmt: skip


@check("8.3.b", row="prediction", level="pass")
def test_blocks_of_512(student, draw, expect):
    """A request becomes the next multiple of 512 bytes, and nothing stays nothing."""
    cases = [(n, block) for n, block, _ in VECTORS]
    for _ in range(8):
        blocks, over = draw.integer(1, 10**6), draw.integer(1, 512)
        cases.append(((blocks - 1) * 512 + over, blocks * 512))
    cases.append((2**60 + 1, 2**60 + 512))
    for numpy in (False, True):
        calls = [[[n], {}] for n, _ in cases]
        got = _values(student, expect, "round_size", calls, numpy)
        for (n, want), value in zip(cases, got, strict=True):
            expect.equal(value, want, what=f"round_size({n})", unit="B")


@check("8.3.b", row="prediction", level="pass")
def test_no_half_bytes(student, draw, expect):
    """What is no count of bytes has no block."""
    _refused(student, expect, "round_size", [*_no_counts(), ("for text", ["512"], {})])


@check("8.3.c", row="prediction", level="pass")
def test_the_rounded_request_decides(student, draw, expect):
    """Segments have 2 MiB, 20 MiB or a multiple of 2 MiB, by the size after rounding."""
    cases = [(n, size * MIB) for n, _, size in VECTORS]
    for _ in range(4):
        cases.append((draw.integer(1, MIB), 2 * MIB))
        cases.append((draw.integer(MIB + 1, 10 * MIB - 512), 20 * MIB))
        steps = draw.integer(6, 500)
        cases.append((steps * 2 * MIB - draw.integer(0, 2 * MIB - 512), steps * 2 * MIB))
    for numpy in (False, True):
        got = _values(student, expect, "segment_size", [[[n], {}] for n, _ in cases], numpy)
        for (n, want), value in zip(cases, got, strict=True):
            expect.equal(value, want, what=f"segment_size({n})", unit="B")


@check("8.3.c", row="prediction", level="pass")
def test_no_segment_for_no_count(student, draw, expect):
    """What is no count of bytes has no segment."""
    _refused(student, expect, "segment_size", [*_no_counts(), ("for text", ["1 MiB"], {})])


# 8.3.e training_bytes

PARTS = ("parameters", "gradients", "optimizer", "activations", "total")
NAMED = {
    "fp32": {"weight": 4, "gradient": 4, "activation": 4, "state": 4, "master": 0},
    "autocast": {"weight": 4, "gradient": 4, "activation": 2, "state": 4, "master": 0},
    "bf16": {"weight": 2, "gradient": 2, "activation": 2, "state": 2, "master": 0},
    "bf16_master": {"weight": 2, "gradient": 2, "activation": 2, "state": 4, "master": 4},
}


def _shapes(draw):
    return [[draw.integer(3, 40), draw.integer(3, 40)], [draw.integer(3, 90)], [],
            [draw.integer(2, 9), draw.integer(2, 9), 3]]  # fmt: skip


def _elements(shapes):
    return sum(math.prod(shape) for shape in shapes)


def _parts(expect, got, what="the result"):
    expect.keys(got, PARTS, what=what)
    return {name: got[name] for name in PARTS}


def _held(expect, got, want, what):
    want = {**want, "total": sum(want.values())}
    expect.equal(_parts(expect, got, what), want, what=what, unit="B")


@check("8.3.e", row="prediction", level="pass")
def test_each_part_by_its_dtype(student, draw, expect):
    """Each part is its elements times its bytes; the master copy belongs to the parameters."""
    shapes, kept = _shapes(draw), [[draw.integer(2, 30), 7], [5]]
    p, a, tensors = _elements(shapes), _elements(kept), len(shapes)
    full = {"weight": 2, "gradient": 4, "activation": 8, "state": 1, "states": 3, "master": 4,
            "counter": 16}  # fmt: skip
    short = {"weight": 4, "gradient": 2, "activation": 1, "state": 8, "states": 0}
    got = _values(
        student, expect, "training_bytes", [[[shapes, kept, full], {}], [[shapes, kept, short], {}]]
    )
    want = {"parameters": 6 * p, "gradients": 4 * p, "optimizer": 3 * p + 16 * tensors,
            "activations": 8 * a}  # fmt: skip
    _held(expect, got[0], want, "the parts of a policy with everything")
    want = {"parameters": 4 * p, "gradients": 2 * p, "optimizer": 0, "activations": a}
    _held(expect, got[1], want, "the parts of a policy without states")


@check("8.3.e", row="prediction", level="pass")
def test_named_policies(student, draw, expect):
    """fp32, autocast, bf16 and bf16 with a master copy are AdamW's, counters included."""
    shapes, kept = _shapes(draw), [[draw.integer(2, 30), 11]]
    p, a = _elements(shapes), _elements(kept)
    calls = [[[shapes, kept, name], {}] for name in NAMED]
    for (name, each), got in zip(
        NAMED.items(), _values(student, expect, "training_bytes", calls), strict=True
    ):
        want = {
            "parameters": (each["weight"] + each["master"]) * p,
            "gradients": each["gradient"] * p,
            "optimizer": 2 * each["state"] * p + 4 * len(shapes),
            "activations": each["activation"] * a,
        }
        _held(expect, got, want, f"the parts of {name}")


@check("8.3.e", row="prediction", level="strong")
def test_what_adamw_holds(student, reference, draw, expect):
    """For tensors drawn just now the accountant gives what torch's AdamW holds, in both dtypes."""
    shapes = [*_shapes(draw), [0, 5], [1]]
    for dtype in ("fp32", "bf16"):
        live = reference.run("live_states", {"shapes": shapes, "dtype": dtype}, stage="torch")
        (got,) = _values(student, expect, "training_bytes", [[[shapes, [], dtype], {}]])
        got = _parts(expect, got)
        got = {name: got[name] for name in live}
        expect.equal(got, live, what=f"what AdamW holds of a model in {dtype}", unit="B")


@check("8.3.e", row="prediction", level="strong")
def test_zero_splits_by_elements(student, draw, expect):
    """From its stage on a part is split by elements over the devices; the largest share counts."""
    shapes, kept = _shapes(draw), [[draw.integer(2, 30), 3]]
    p, a = _elements(shapes), _elements(kept)
    devices = draw.integer(5, 64)
    share = math.ceil(p / devices)
    each = {"weight": 2, "gradient": 4, "activation": 2, "state": 4, "states": 2, "master": 4,
            "counter": 4}  # fmt: skip
    calls = [[[shapes, kept, each, stage, devices], {}] for stage in range(4)]
    for stage, got in enumerate(_values(student, expect, "training_bytes", calls)):
        weights, gradients, states = (share if stage >= k else p for k in (3, 2, 1))
        want = {"parameters": 2 * weights + 4 * states, "gradients": 4 * gradients,
                "optimizer": 8 * states + 4 * len(shapes), "activations": 2 * a}  # fmt: skip
        _held(expect, got, want, f"the parts of stage {stage}")


@check("8.3.e", row="prediction", level="pass")
def test_policies_and_shapes_that_cannot_be(student, draw, expect):
    """Unknown names and keys, missing keys and impossible shapes are refused; nothing is fine."""
    each = {"weight": 4, "gradient": 4, "activation": 4, "state": 4, "states": 2}
    shapes = [[3, 4]]
    cases = [(f"for a dimension of {odd!r}", [[[3, odd]], [], "fp32"], {}) for odd in NO_COUNTS]
    cases += [(f"for {odd!r} bytes an element", [shapes, [], {**each, "state": odd}], {})
              for odd in NO_COUNTS]  # fmt: skip
    for key in each:
        short = {name: size for name, size in each.items() if name != key}
        cases.append((f"for a policy without {key}", [shapes, [], short], {}))
    cases += [
        ("for a policy with an unknown key", [shapes, [], {**each, "moment": 4}], {}),
        ("for an unknown name", [shapes, [], "fp23"], {}),
        ("for a stage above 3", [shapes, [], each, 4, 2], {}),
        ("for a stage below 0", [shapes, [], each, -1, 2], {}),
        ("for no device", [shapes, [], each, 1, 0], {}),
        ("for a negative dimension of an activation", [shapes, [[2, -3]], each], {}),
    ]
    _refused(student, expect, "training_bytes", cases)
    got = _values(
        student, expect, "training_bytes", [[[[], [], "fp32"], {}], [[[[0, 7]], [[]], each], {}]]
    )
    nothing = dict.fromkeys(PARTS[:4], 0)
    _held(expect, got[0], nothing, "the parts of no parameters")
    _held(expect, got[1], {**nothing, "activations": 4}, "the parts of an empty parameter")


# 8.3.f activation_bytes


def _f(student, expect, *cases, numpy=False):
    calls = [[list(case), {}] for case in cases]
    return _values(student, expect, "activation_bytes", calls, numpy)


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
    expect.equal(_f(student, expect, ([first, "relu", ["dropout"], first], b, n), numpy=True)[0],
                 4 * 3 * b * m, what="bytes of a chain with a bare name", unit="B")  # fmt: skip


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
    _refused(student, expect, "activation_bytes", cases)


# 8.3.g transformer_activation_bytes

LAYER = ("norms", "attention", "scores", "mlp", "input", "total")


def _layer(student, expect, s, b, h, a, **named):
    call = [[s, b, h, a], named]
    (got,) = _values(student, expect, "transformer_activation_bytes", [call])
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
        ("for an unknown recomputation", [8, 1, 8, 4], {"recompute": "some"}),
        ("for 0 devices", [8, 1, 8, 4], {"tensor_parallel": 0}),
        ("for 0 heads", [8, 1, 8, 0], {}),
        *[(f"for {odd!r} tokens", [odd, 1, 8, 4], {}) for odd in NO_COUNTS],
    ]  # fmt: skip
    _refused(student, expect, "transformer_activation_bytes", cases)
    got = _layer(student, expect, 9, 1, 8, 4, tensor_parallel=4)
    expect.equal(got["norms"], 4 * 72, what="norms of a sequence that is not split", unit="B")


# 8.3.j explain_gap


@check("8.3.j", row="prediction", level="pass")
def test_terms_add_up_to_the_gap(student, draw, expect):
    """The gap is measured less predicted; its terms and what is unexplained add up to it."""
    base = draw.integer(10**6, 10**7)
    predicted = {"parameters": base, "gradients": base, "optimizer": 2 * base, "rounding": 900}
    measured = {"parameters": base, "gradients": 0, "optimizer": 2 * base + 24, "batch": 66_048}
    live = sum(measured.values()) + draw.integer(100, 999)
    (got,) = _values(student, expect, "explain_gap", [[[predicted, measured, live], {}]])
    expect.keys(got, ["gap", "terms", "unexplained"], what="the result")
    terms = {"gradients": -base, "batch": 66_048, "rounding": -900, "optimizer": 24}
    expect.equal(got["gap"], live - 4 * base - 900, what="gap", unit="B")
    expect.equal(got["terms"], terms, what="terms", unit="B")
    rest = live - sum(measured.values())
    expect.equal(got["unexplained"], rest, what="unexplained", unit="B")


@check("8.3.j", row="prediction", level="pass")
def test_largest_term_first_and_units(student, draw, expect):
    """Terms come by falling size, equal ones in their order, and sizes may have units."""
    n = draw.integer(2, 9)
    predicted = {"a": f"{n} MiB", "b": 5, "c": 2000, "d": 7}
    measured = {"e": "1 kB", "c": 1000, "d": 7, "a": f"{n + 1} MiB", "f": 0, "b": -5}
    calls = [[[predicted, measured, f"{n} GB"], {}], [[{}, {}, 0], {}], [[{"x": 4}, {}, 0], {}]]
    found = _values(student, expect, "explain_gap", calls)
    for got in found:
        expect.keys(got, ["gap", "terms", "unexplained"], what="the result")
    got = found[0]
    expect.equal(got["terms"], {"a": MIB, "c": -1000, "e": 1000, "b": -10}, what="terms", unit="B")
    expect.equal(list(got["terms"]), ["a", "c", "e", "b"], what="order of the terms")
    expect.equal(got["gap"], n * 10**9 - n * MIB - 2012, what="gap", unit="B")
    want = n * 10**9 - (n + 1) * MIB - 2002
    expect.equal(got["unexplained"], want, what="unexplained", unit="B")
    expect.equal(found[1], {"gap": 0, "terms": {}, "unexplained": 0}, what="nothing at all")
    expect.equal(found[2], {"gap": -4, "terms": {"x": -4}, "unexplained": 0},
                 what="what was predicted and is not there")  # fmt: skip
    bad = [("for a size without a unit", [{"a": "12"}, {}, 0], {}),
           ("for 1.5 bytes", [{}, {"a": 1.5}, 0], {}),
           ("for NaN bytes in all", [{}, {}, math.nan], {})]  # fmt: skip
    _refused(student, expect, "explain_gap", bad)
