"""Hidden check of unit 8.5 that holds the student's detectors against three live ones."""

from __future__ import annotations

import numpy as np

from grader.checks import check


def _positive(draw, *shape):
    return (np.abs(draw.normal(shape)) + 0.5).astype(np.float32)


def _spoiled(draw, array, value):
    array[tuple(draw.integer(0, n - 1) for n in array.shape)] = value
    return array


@check("8.5.g", row="prediction", level="strong")
def test_live_detectors(student, reference, draw, expect):
    """For steps drawn just now it says what three live detectors say."""
    size = draw.integer(2, 6)
    steps = [
        {"scene": "one_operation", "op": "sqrt", "x": _spoiled(draw, _positive(draw, size), 0)},
        {"scene": "one_operation", "op": "log", "x": _spoiled(draw, _positive(draw, size), -1)},
        {"scene": "one_operation", "op": "reciprocal", "x": _positive(draw, size)},
        {"scene": "one_where", "op": "sqrt", "x": _spoiled(draw, _positive(draw, size), 0)},
        {"scene": "masked_attention", "x": draw.normal((size, 3)), "allow": ["scores"]},
        {"scene": "masked_attention", "x": draw.normal((size, 3))},
        {"scene": "linear_after_log", "out": 3, "tanh": draw.choice([True, False]),
         "x": _spoiled(draw, _positive(draw, size, 4), -1)},
        {"scene": "used_twice", "inner": True, "x": np.zeros(size, np.float32)},
        {"scene": "growing_gradient", "x": np.full(size, 1e-38, np.float32),
         "factors": [1e20, 1e20]},
        {"scene": "soft_cross_entropy", "x": draw.normal((size, 4))},
    ]  # fmt: skip
    for step in draw.shuffled(steps):
        live = reference.run("live_detectors", step, stage="torch")
        got = student.numpy.detectors(live["trace"], live["nodes"], step.get("allow", []))
        expect.equal(got, live["seen"], what="what the detectors see of a live step")
