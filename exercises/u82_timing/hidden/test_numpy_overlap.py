"""Hidden checks of overlap_makespan (8.2.d) against a lived program of two streams."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refusals

from .lived import lived, op_of
from .programs import BAD_TIMES, plain_values


def _boxes(n, copy, compute, buffers):
    """Return the end of n batches by living through a program of two streams."""
    copies = [copy] * n if isinstance(copy, int) else copy
    computes = [compute] * n if isinstance(compute, int) else compute
    ops = []
    for i in range(n):
        after = [f"use{i - buffers}"] if i >= buffers else []
        ops += [op_of(f"copy{i}", "copy", 0, copies[i], after=after),
                op_of(f"use{i}", "main", 0, computes[i], after=[f"copy{i}"])]  # fmt: skip
    overlapped, serial = lived(ops)["device"], sum(copies) + sum(computes)
    return {
        "serial": serial,
        "overlapped": overlapped,
        "idle": overlapped - sum(computes),
        "speedup": serial / overlapped if overlapped else 1.0,
    }


def _overlaps(student, expect, cases):
    calls = [(case, {}) for case in cases]
    values = plain_values(student, expect, "overlap_makespan", calls)
    for case, got in zip(cases, values, strict=True):
        n, copy, compute, *rest = case
        words = f"{n} batches, copies {copy}, computations {compute}, {(rest or [2])[0]} buffers"
        want = _boxes(*case) if rest else _boxes(*case, 2)
        expect.keys(got, want, what=f"the result ({words})")
        for key in ("serial", "overlapped", "idle", "speedup"):
            expect.close(got[key], want[key], rtol=1e-9, what=f"{key} ({words})")


@check("8.2.d", row="timing", level="pass")
def test_copies_hide_behind_computation(student, draw, expect):
    """With two buffers the first copy or the last computation sticks out, the rest is hidden."""
    short, long, n = draw.integer(2, 9), draw.integer(20, 40), draw.integer(3, 8)
    _overlaps(student, expect, [(n, short, long), (n, long, short), (n, long, long), (1, 5, 7)])


@check("8.2.d", row="timing", level="pass")
def test_one_buffer_hides_nothing(student, draw, expect):
    """A copy waits for a buffer: with one nothing overlaps, and more of them help if times vary."""
    n = draw.integer(4, 7)
    cases = [(n, draw.integer(3, 9), draw.integer(3, 9), 1)]
    for buffers in (1, 2, 3, n, n + 3):
        cases.append((n, draw.integers(0, 30, n), draw.integers(0, 30, n), buffers))
    early = [
        1,
        1,
        1,
        30,
        1,
    ]  # a third buffer lets the long copy start before a long computation ends
    cases += [(5, early, [20, 20, 20, 1, 1], buffers) for buffers in (2, 3)]
    _overlaps(student, expect, cases)


@check("8.2.d", row="timing", level="pass")
def test_overlap_with_little_to_do(student, draw, expect):
    """No batches, copies that take no time, computations that take none, one number for all."""
    n, time = draw.integer(2, 6), draw.integer(3, 30)
    cases = [(0, 3, 4, 2), (n, 0, time, 2), (n, time, 0, 2), (n, 0, 0, 1), (0, [], [], 1)]
    cases += [(n, [time] * n, 4, 2), (n, 4, [time] * n, 2)]
    _overlaps(student, expect, cases)


@check("8.2.d", row="timing", level="pass")
def test_overlap_that_makes_no_sense(student, draw, expect):
    """No buffer, a negative number, impossible times and lists of another length are refused."""
    cases = [
        ("without a buffer", (3, 1, 2, 0), {}),
        ("for fewer batches than none", (-1, 1, 2, 2), {}),
        ("if there are too few copies", (3, [1, 2], 2, 2), {}),
        ("if there are too many computations", (3, 1, [1, 2, 3, 4], 2), {}),
    ]
    for word, value in BAD_TIMES.items():
        cases.append((f"if a copy is {word}", (2, value, 2, 2), {}))
        cases.append((f"if a computation is {word}", (2, 1, [1, value], 2), {}))
    refusals(student, expect, "overlap_makespan", cases)
