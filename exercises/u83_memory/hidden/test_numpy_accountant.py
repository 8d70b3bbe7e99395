"""Hidden checks of unit 8.3, NumPy stage: the accountant of mixed-precision training (8.3.e)."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.many import refusals

from .counts import as_any_integers, no_counts, values

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
    # more than 2**32 elements of each
    large, much = [[70_000, 80_000]], [[90_000, 60_000]]
    q, c = _elements(large), _elements(much)
    cases = [
        ("a policy with everything", [shapes, kept, full],
         {"parameters": 6 * p, "gradients": 4 * p, "optimizer": 3 * p + 16 * tensors,
          "activations": 8 * a}),
        ("a policy without states", [shapes, kept, short],
         {"parameters": 4 * p, "gradients": 2 * p, "optimizer": 0, "activations": a}),
        ("a large model", [large, much, full],
         {"parameters": 6 * q, "gradients": 4 * q, "optimizer": 3 * q + 16, "activations": 8 * c}),
    ]  # fmt: skip
    calls = [[arguments, {}] for _, arguments, _ in cases]
    for words, found in as_any_integers(student, expect, "training_bytes", calls):
        for (what, _, want), got in zip(cases, found, strict=True):
            _held(expect, got, want, f"the parts of {what}, from {words}")


@check("8.3.e", row="prediction", level="pass")
def test_named_policies(student, draw, expect):
    """fp32, autocast, bf16 and bf16 with a master copy are AdamW's, counters included."""
    shapes, kept = _shapes(draw), [[draw.integer(2, 30), 11]]
    p, a = _elements(shapes), _elements(kept)
    calls = [[[shapes, kept, name], {}] for name in NAMED]
    for (name, each), got in zip(
        NAMED.items(), values(student, expect, "training_bytes", calls), strict=True
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
        (got,) = values(student, expect, "training_bytes", [[[shapes, [], dtype], {}]])
        got = _parts(expect, got)
        got = {name: got[name] for name in live}
        expect.equal(got, live, what=f"what AdamW holds of a model in {dtype}", unit="B")


@check("8.3.e", row="prediction", level="strong")
def test_zero_splits_by_elements(student, draw, expect):
    """From its stage on a part is split by elements over the devices; the largest share counts."""
    shapes, kept = _shapes(draw), [[draw.integer(2, 30), 3]]
    p, a = _elements(shapes), _elements(kept)
    # shares that are not whole, and differ from those of each tensor by itself
    devices = draw.choice([
        d for d in range(5, 65)
        if p % d and sum(-(-_elements([shape]) // d) for shape in shapes) > -(-p // d)
    ])  # fmt: skip
    share = -(-p // devices)
    each = {"weight": 2, "gradient": 4, "activation": 2, "state": 4, "states": 2, "master": 4,
            "counter": 4}  # fmt: skip
    calls = [[[shapes, kept, each, stage, devices], {}] for stage in range(4)]
    for words, found in as_any_integers(student, expect, "training_bytes", calls):
        for stage, got in enumerate(found):
            weights, gradients, states = (share if stage >= k else p for k in (3, 2, 1))
            want = {"parameters": 2 * weights + 4 * states, "gradients": 4 * gradients,
                    "optimizer": 8 * states + 4 * len(shapes), "activations": 2 * a}  # fmt: skip
            _held(expect, got, want, f"the parts of stage {stage}, from {words}")


@check("8.3.e", row="prediction", level="pass")
def test_policies_and_shapes_that_cannot_be(student, draw, expect):
    """Unknown names and keys, missing keys and what is no count are refused; nothing is fine."""
    each = {"weight": 4, "gradient": 4, "activation": 4, "state": 4, "states": 2}
    full = {**each, "master": 4, "counter": 4}
    places = {"a dimension of a parameter": (0, 1, 0), "a dimension of an activation": (1, 0, 1),
              "the stage": (3,)}  # fmt: skip
    places |= {f"{key!r} of a policy": (2, key) for key in full}
    call = [[[2, 2], [3]], [[2, 5]], full, 1, 3], {}
    cases = no_counts(call, places) + no_counts(call, {"devices": (4,)}, least=1)
    shapes = [[3, 4]]
    for key in each:
        short = {name: size for name, size in each.items() if name != key}
        cases.append((f"for a policy without {key}", [shapes, [], short], {}))
    cases += [
        ("for a policy with an unknown key", [shapes, [], {**each, "moment": 4}], {}),
        ("for an unknown name", [shapes, [], "fp23"], {}),
        ("for a stage above 3", [shapes, [], each, 4, 2], {}),
        ("for a stage above 3 on one device", [shapes, [], "fp32", 4], {}),
        ("for a stage of 1.5 on one device", [shapes, [], "fp32", 1.5], {}),
        ("for a negative counter without parameters", [[], [], {**full, "counter": -4}], {}),
    ]
    refusals(student, expect, "training_bytes", cases)
    got = values(
        student, expect, "training_bytes", [[[[], [], "fp32"], {}], [[[[0, 7]], [[]], each], {}]]
    )
    nothing = dict.fromkeys(PARTS[:4], 0)
    _held(expect, got[0], nothing, "the parts of no parameters")
    _held(expect, got[1], {**nothing, "activations": 4}, "the parts of an empty parameter")
