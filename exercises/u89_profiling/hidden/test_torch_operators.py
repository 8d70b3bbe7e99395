"""Hidden checks of operator_table (8.9.l) against the events of the same profile."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.numbers import is_finite
from grader.checks.watched import refused, watched

ROW_KEYS = ("name", "shapes", "count", "self_us", "total_us", "device_us", "self_bytes",
            "total_bytes")  # fmt: skip


def _operators(student, draw, expect, *, by_shape, shapes=True, memory=True, device=True):
    case = {"m": draw.integer(3, 9), "k": draw.integer(10, 19), "n": draw.integer(20, 29),
            "wide": draw.integer(30, 39), "narrow_calls": draw.integer(2, 4), "wide_calls": 5,
            "by_shape": by_shape, "shapes": shapes, "memory": memory,
            "device": [draw.integer(1, 999) / 8 for _ in range(11)] if device else [],
            "range": draw.name()}  # fmt: skip
    seen = watched(student, expect, "operators", case)
    _rows(expect, seen["table"])
    return case, seen["table"], seen["raw"]


def _rows(expect, table):
    expect.that(isinstance(table, list) and len(table) > 0, "The table must be a list of rows.")
    for row in table:
        expect.keys(row, ROW_KEYS, what="a row")
        expect.that(isinstance(row["name"], str), "The name of a row must be text.")
        fine = all(is_finite(row[key]) for key in ("count", "self_us", "total_us", "device_us"))
        expect.that(fine, f"Count and times of {row['name']} must be numbers.")


def _own_rows(expect, table, raw, by_shape):
    """Hold the times and bytes of each row against the sums over its events."""
    key = (lambda row: str([row["name"], row["shapes"]])) if by_shape else (lambda r: r["name"])
    found = {key(row): row for row in table}
    for truth in raw:
        row = found.get(key(truth))
        expect.that(row is not None, f"{truth['name']} has no row.")
        for name in ("self_us", "total_us", "device_us"):
            # the message carries no number: times differ from run to run
            kind = {"device_us": "self device"}.get(name, name.split("_")[0])
            why = f"{name} of {truth['name']} is not the {kind} time of its events."
            expect.that(_same_times(row, truth, name), why)
        names = ("count", "self_bytes", "total_bytes")
        got, want = [row[name] for name in names], [truth[name] for name in names]
        expect.equal(got, want, what=f"count and bytes of {truth['name']}")
    times = [row["self_us"] for row in table]
    expect.that(times == sorted(times, reverse=True), "The rows are not sorted by self time.")


def _same_times(row, raw, key):
    return math.isclose(row[key], raw[key], rel_tol=1e-6, abs_tol=1e-3)


@check("8.9.l", row="timing", level="pass")
def test_two_shapes_are_two_rows(student, draw, expect):
    """An operator that was called with two shapes has a row, and a count, for each."""
    case, table, raw = _operators(student, draw, expect, by_shape=True)
    products = [row for row in table if row["name"] == "aten::mm"]
    for row in products:
        expect.that(isinstance(row["shapes"], list), "Each row must have a list of shapes.")
    found = sorted(([row["shapes"][:2], row["count"]] for row in products), key=str)
    m, k, n, wide = (case[name] for name in ("m", "k", "n", "wide"))
    calls = [[[[m, k], [k, n]], case["narrow_calls"]], [[[m, k], [k, wide]], 5]]
    want = sorted(calls, key=str)
    expect.equal(found, want, what="shapes and counts of aten::mm")
    size = {str(row["shapes"][:2]): row["total_bytes"] for row in products}
    want = {str([[m, k], [k, n]]): 4 * m * n * case["narrow_calls"],
            str([[m, k], [k, wide]]): 4 * m * wide * 5}  # fmt: skip
    expect.equal(size, want, what="total bytes of aten::mm", unit="B")
    _own_rows(expect, table, raw, by_shape=True)


@check("8.9.l", row="timing", level="pass")
def test_self_and_total_of_operators(student, draw, expect):
    """Self and total are kept apart, in time and memory, and the largest self time comes first."""
    case, table, raw = _operators(student, draw, expect, by_shape=False)
    calls = case["narrow_calls"] + 5
    by_name = {row["name"]: row for row in table}
    expect.keys(by_name, ["aten::mm", "aten::conv2d", "aten::empty"], what="the names")
    expect.equal(by_name["aten::mm"]["count"], calls, what="calls of aten::mm in one row")
    shapes = [row["shapes"] for row in table if row["shapes"] is not None]
    expect.equal(shapes, [], what="shapes when rows are not split by shape")
    conv = by_name["aten::conv2d"]
    output = 4 * 3 * 6 * 6
    got = [conv["self_bytes"], conv["total_bytes"]]
    expect.equal(got, [0, output], what="self and total bytes of aten::conv2d", unit="B")
    _own_rows(expect, table, raw, by_shape=False)


@check("8.9.l", row="timing", level="pass")
def test_not_measured_is_not_zero(student, draw, expect):
    """Memory that was not recorded is None, and shapes that were not recorded are refused."""
    for shapes in (False, True):
        _, table, _ = _operators(
            student, draw, expect, by_shape=False, shapes=shapes, memory=False, device=False
        )
        busy = [row["name"] for row in table if row["device_us"] != 0]
        expect.equal(busy, [], what="operators with device time on a CPU")
        sizes = [row[key] for row in table for key in ("self_bytes", "total_bytes")]
        measured = [size for size in sizes if size is not None]
        expect.that(not measured, "Bytes are reported although the profile recorded no memory.")
    _, table, _ = _operators(student, draw, expect, by_shape=False, shapes=False)
    missing = any(row[key] is None for row in table for key in ("self_bytes", "total_bytes"))
    expect.that(not missing, "Bytes are missing although the profile recorded memory.")
    case = {"m": 2, "k": 3, "n": 4, "wide": 5, "narrow_calls": 1, "wide_calls": 1,
            "by_shape": True, "shapes": False, "memory": True, "range": "one"}  # fmt: skip
    refused(student, expect, "if shapes were not recorded", "operators", case)
