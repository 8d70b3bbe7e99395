"""Hidden checks of unit 8.3, PyTorch stage: who owns resident bytes (8.3.m)."""

from __future__ import annotations

from grader.checks import check

PARTS = ("parameters", "buffers", "gradients", "optimizer", "batch", "total")


def _owned(student, expect, kind, what, alone=False, case=None, **want):
    value = student.run("owned", {"kind": kind, "alone": alone, **(case or {})})["value"]
    expect.keys(value, PARTS, what="the result")
    want = {name: want.get(name, 0) for name in PARTS[:-1]}
    want["total"] = sum(want.values())
    expect.equal({name: value[name] for name in PARTS}, want, what=what, unit="B")


@check("8.3.m", row="prediction", level="pass")
def test_a_model_after_a_step(student, draw, expect):
    """Parameters, gradients, AdamW's state with its counters and the batch are told apart."""
    a, b, c, rows = draw.integers(3, 40, 4)
    case = {"a": a, "b": b, "c": c, "rows": rows}
    weights = a * b + b + b * c + c
    _owned(student, expect, "plain", "a model after a step of AdamW", case=case,
           parameters=4 * weights, gradients=4 * weights, optimizer=8 * weights + 16,
           batch=4 * rows * a + 8 * rows)  # fmt: skip
    _owned(student, expect, "plain", "the same model alone", alone=True, case=case,
           parameters=4 * weights, gradients=4 * weights)  # fmt: skip
    _owned(student, expect, "fresh", "a model before its first step", case=case,
           parameters=4 * (a * b + b))  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_tied_weights_once(student, draw, expect):
    """A weight that two modules share is there once, as one parameter or as two on one storage."""
    a, b = draw.integers(3, 40, 2)
    for shared in ("the parameter", "the storage"):
        _owned(student, expect, "tied", f"a model whose modules share {shared}",
               case={"a": a, "b": b, "shared": shared},
               parameters=4 * a * b, gradients=4 * a * b)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_views_hold_their_storage(student, draw, expect):
    """Views of one table are one table, and a single row holds the whole table it is cut from."""
    a, rows = draw.integer(3, 40), draw.integer(5, 40)
    _owned(student, expect, "views", "a batch of slices, transposes and expanded numbers",
           case={"a": a, "rows": rows}, parameters=4 * a,
           batch=4 * rows * a + 4 * rows * a + 4)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_each_storage_to_its_first_owner(student, draw, expect):
    """Buffers count, saved or not, frozen weights too, and the batch gets what is nobody else's."""
    a, rows = draw.integer(3, 40), draw.integer(5, 40)
    _owned(student, expect, "buffers", "a frozen layer, a norm and a mask",
           case={"a": a, "rows": rows}, parameters=4 * (a * a + a + 2 * a),
           buffers=4 * 2 * a + 8 + 4 * rows * rows, gradients=4 * a, batch=4 * rows)  # fmt: skip


@check("8.3.m", row="prediction", level="pass")
def test_states_of_other_optimizers(student, draw, expect):
    """Momentum has one state, amsgrad three, and tensors deeper in the state count as well."""
    a, b = draw.integers(3, 40, 2)
    weights = 4 * (a * b + b)
    for optimizer, size in (("momentum", weights), ("amsgrad", 3 * weights + 8),
                            ("nested", 2 * weights)):  # fmt: skip
        _owned(student, expect, "other", f"a linear with {optimizer} states",
               case={"a": a, "b": b, "optimizer": optimizer},
               parameters=weights, gradients=weights, optimizer=size)  # fmt: skip
