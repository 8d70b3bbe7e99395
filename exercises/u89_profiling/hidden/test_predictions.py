"""Hidden checks of unit 8.9 that hold the student's calculators against counts made just now."""

from __future__ import annotations

from itertools import pairwise

from grader.checks import check


@check("8.9.c", row="prediction", level="strong")
def test_live_mlp(student, reference, draw, expect):
    """For an mlp drawn just now the calculator gives what a counter counts in a step."""
    for needs_grad in (False, True):
        widths = [draw.integer(20, 64), draw.integer(65, 128), draw.integer(20, 64), 10]
        batch = draw.integer(3, 40)
        case = {"widths": widths, "batch": batch, "input_needs_grad": needs_grad}
        counted = reference.run("count_mlp", case, stage="torch")
        products = [[batch, k, n] for k, n in pairwise(widths)]
        got = student.numpy.training_flops(products, first_input_needs_grad=needs_grad)
        expect.keys(got, ["forward", "backward"], what="the result")
        got = {key: got[key] for key in ("forward", "backward")}
        kind = "needs its gradient" if needs_grad else "is data"
        expect.close(got, counted, rtol=1e-12, what=f"FLOPs of an mlp whose input {kind}")


@check("8.9.d", row="prediction", level="strong")
def test_live_transformer(student, reference, draw, expect):
    """For a transformer drawn just now the calculator gives what a counter counts in a step."""
    heads = draw.integer(2, 4)
    case = {
        "layers": draw.integer(1, 3), "heads": heads, "width": heads * draw.integer(4, 8),
        "tokens": draw.integer(6, 20), "vocab": draw.integer(30, 90), "batch": draw.integer(2, 5),
    }  # fmt: skip
    counted = reference.run("count_transformer", case, stage="torch")
    got = student.numpy.transformer_step_flops(
        case["layers"], case["width"], case["tokens"], case["batch"], case["vocab"]
    )
    expect.keys(got, ["forward", "backward"], what="the result")
    got = {key: got[key] for key in ("forward", "backward")}
    expect.close(got, counted, rtol=1e-12, what="FLOPs of a transformer with attention by hand")
