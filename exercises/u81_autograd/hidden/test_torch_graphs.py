"""Hidden checks of 8.1.f: nodes of graphs, held against closed forms and a walk of another kind."""

from __future__ import annotations

from grader.checks import check

KEYS = ["nodes", "leaves", "names", "depth"]


def _counted(student, expect, case):
    seen = student.run("counted", case)
    answer = seen["answer"]
    expect.keys(answer, KEYS, what="the result")
    return {key: answer[key] for key in KEYS}, seen


def _held(expect, got, want, what):
    for key in KEYS:
        expect.equal(got[key], want[key], what=f"{key} of {what}")


@check("8.1.f", row="prediction", level="pass")
def test_nodes_of_an_mlp(student, reference, draw, expect):
    """Nodes, leaves and names of an mlp with a loss are those of its graph, frozen layers too."""
    for frozen in ([], [0]):
        widths = [draw.integer(2, 6) for _ in range(draw.integer(3, 5))]
        case = {"kind": "mlp", "widths": widths, "frozen": frozen}
        got, _ = _counted(student, expect, case)
        want = reference.run("counted_truth", case)
        layers = len(widths) - 1
        # loss 2; addmm, transpose and two leaves a layer; a ReLU between two
        nodes = 2 + 4 * layers + (layers - 1) - (5 if frozen else 0)
        expect.equal(want["nodes"], nodes, what="the reference's count")
        what = "an mlp whose first layer is frozen" if frozen else "an mlp"
        _held(expect, got, want, what)


@check("8.1.f", row="prediction", level="pass")
def test_a_node_reached_twice_is_one(student, draw, expect):
    """A value that is used twice is one node, and so is a leaf; sixty squarings take no time."""
    count = draw.integer(2, 5)
    got, _ = _counted(student, expect, {"kind": "squares", "count": count})
    want = {"nodes": count + 2, "leaves": 1, "depth": count + 2,
            "names": {"MulBackward0": count, "ExpBackward0": 1, "AccumulateGrad": 1}}  # fmt: skip
    _held(expect, got, want, f"{count} squarings in a row")
    count = draw.integer(55, 65)
    got, _ = _counted(student, expect, {"kind": "squares", "count": count})
    expect.equal(got["nodes"], count + 2, what=f"nodes of {count} squarings in a row")


@check("8.1.f", row="prediction", level="pass")
def test_depth_is_the_longest_way(student, draw, expect):
    """Depth follows the longest way, wherever it lies among a node's sources."""
    for first in draw.shuffled([True, False]):
        count = draw.integer(3, 6)
        got, _ = _counted(student, expect, {"kind": "arms", "count": count, "long_first": first})
        expect.equal(got["depth"], count + 3, what=f"depth of a short arm and one of {count} nodes")
        expect.equal(got["nodes"], count + 3, what="nodes of the two arms")


@check("8.1.f", row="prediction", level="pass")
def test_several_outputs_and_none(student, reference, draw, expect):
    """Graphs of several outputs are taken together; a leaf or a constant has no graph."""
    case = {"kind": "apart"}
    got, _ = _counted(student, expect, case)
    want = {"nodes": 6, "leaves": 2, "depth": 3,
            "names": {"SumBackward0": 1, "ExpBackward0": 1, "SinBackward0": 1, "MulBackward0": 1,
                      "AccumulateGrad": 2}}  # fmt: skip
    expect.equal(reference.run("counted_truth", case), want, what="the reference's count")
    _held(expect, got, want, "two graphs with a leaf in common")
    for leaf in (True, False):
        got, _ = _counted(student, expect, {"kind": "plain", "leaf": leaf})
        what = "a leaf" if leaf else "a constant"
        _held(expect, got, {"nodes": 0, "leaves": 0, "names": {}, "depth": 0}, what)


@check("8.1.f", row="prediction", level="pass")
def test_outputs_inside_the_graph_of_others(student, draw, expect):
    """Outputs given twice, inside the graph of another or from one node change nothing in it."""
    line = ["AccumulateGrad", "ExpBackward0", "SinBackward0", "SplitBackward0",
            "MulBackward0", "SumBackward0"]  # fmt: skip
    for outputs, depth in (
        (["h", "loss", "loss"], 6), (["loss", "h", "loss"], 6), (["loss", "loss", "h"], 6),
        (["left", "loss", "right"], 6), (["right", "left", "h"], 4), (["loss"], 6),
    ):  # fmt: skip
        got, _ = _counted(student, expect, {"kind": "inner", "outputs": outputs})
        want = {"nodes": depth, "leaves": 1, "depth": depth,
                "names": dict.fromkeys(line[:depth], 1)}  # fmt: skip
        how = ", ".join(outputs)
        _held(expect, got, want, f"h, then left and right of one node, then loss, given [{how}],")


@check("8.1.f", row="prediction", level="pass")
def test_names_without_their_namespace(student, draw, expect):
    """A name is what follows the last ``::``, for nodes of PyTorch and for those of a user."""
    got, _ = _counted(student, expect, {"kind": "custom"})
    want = {"CubeBackward": 1, "SumBackward0": 1, "AccumulateGrad": 1}
    expect.equal(got["names"], want, what="the names in the graph of a Function of one's own")
    expect.equal(got["leaves"], 1, what="leaves of that graph")


@check("8.1.f", row="prediction", level="pass")
def test_deep_graph(student, draw, expect):
    """A graph of 20 000 nodes in a row is walked without recursion."""
    count = draw.integer(19_000, 20_000)
    got, _ = _counted(student, expect, {"kind": "chain", "count": count})
    want = {"nodes": count + 1, "leaves": 1, "depth": count + 1,
            "names": {"AddBackward0": count, "AccumulateGrad": 1}}  # fmt: skip
    _held(expect, got, want, "a chain of additions")


@check("8.1.f", row="prediction", level="pass")
def test_looking_at_a_graph_changes_nothing(student, draw, expect):
    """The graph still runs afterwards, and nothing of it is alive once its output is gone."""
    widths = [draw.integer(3, 6) for _ in range(4)]
    for backward in (True, False):
        _, seen = _counted(student, expect, {"kind": "mlp", "widths": widths, "backward": backward})
        expect.equal(seen["added"], 0, what="bytes that counting leaves behind", unit="B")
        when = "after its backward" if backward else "without a backward"
        what = f"bytes alive when the output is gone, {when},"
        expect.equal(seen["left"], 0, what=what, unit="B")
