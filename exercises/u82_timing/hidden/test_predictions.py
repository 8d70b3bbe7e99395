"""Hidden checks of unit 8.2 that hold the calculators against a step that was just run."""

from __future__ import annotations

from grader.checks import check


@check("8.2.c", row="prediction", level="strong")
def test_live_operators(student, reference, draw, expect):
    """The timers of a chain of operators, drawn just now, print on a device what was calculated."""
    case = {
        "launch": 1000 * draw.integer(2, 9), "sync": 1000 * draw.integer(1, 4),
        "size": 8 * draw.integer(10, 16),
        "operators": [draw.choice(["matmul", "tanh", "add"]) for _ in range(draw.integer(3, 6))],
    }  # fmt: skip
    seen = reference.run("operator_step", case, stage="torch")
    launch = case["launch"] / 1000
    works = [seen["old"], *seen["works"]]
    ops = [{"name": f"op{i}", "stream": "main", "launch": launch, "device": work / 1000}
           for i, work in enumerate(works)]  # fmt: skip
    for policy, printed in seen["printed"].items():
        got = student.numpy.measured(ops[:1], ops[1:], policy, case["sync"] / 1000)
        what = f"what the {policy} timer prints for {', '.join(case['operators'])}"
        expect.close(got, printed / 1000, rtol=1e-9, what=what, unit="us")


@check("8.2.d", row="prediction", level="strong")
def test_live_uploads(student, reference, draw, expect):
    """A prefetched loop, drawn just now, ends on a device when it was calculated."""
    count, link = draw.integer(3, 9), 4
    size, compute = 4 * draw.integer(50, 200), draw.integer(100, 900)
    case = {"count": count, "tensors": [[[size // 4], "float32", False]], "launch": 0,
            "link": link, "compute": compute}  # fmt: skip
    seen = reference.run("prefetched", case, stage="torch")
    got = student.numpy.overlap_makespan(count, -(-size // link), compute, count)
    expect.keys(got, ["overlapped"], what="the result")
    # the simulated device's wait at the end costs 1 us, which the calculator knows nothing of
    expect.close(got["overlapped"], seen["total"] - 1, rtol=1e-9, what="end of the loop", unit="us")
