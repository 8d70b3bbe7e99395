"""Hidden checks of 8.1.d and 8.1.e: a backward through a graph, and what saved arrays cost."""

from __future__ import annotations

import numpy as np

from grader.checks import check


def _node(name, inputs=(), kind="leaf", factors=()):
    return {"name": name, "inputs": list(inputs), "kind": kind, "factors": list(factors)}


def _pulled(student, expect, nodes, root, grad):
    seen = student.run("pulled", {"nodes": nodes, "root": root, "grad": grad})
    note = f"backward raised {seen.get('raised', [''])[0]} for a graph that is sound."
    expect.that("raised" not in seen, note)
    fine = isinstance(seen["leaves"], dict)
    expect.that(fine, "backward must return a dict from a leaf's name to its gradient.")
    return seen


def _by_paths(nodes, root):
    """Return the factor of each leaf: the sum over all ways to it of the product of factors."""
    table = {node["name"]: node for node in nodes}
    found: dict[str, float] = {}

    def walk(name, factor):
        node = table[name]
        if node["kind"] == "leaf":
            found[name] = found.get(name, 0.0) + factor
        for source, own in zip(node["inputs"], node["factors"], strict=False):
            if source is not None:
                walk(source, factor * own)

    walk(root, 1.0)
    return found


def _random_graph(draw, count):
    """Return a graph in which each node takes two or three of the ones before, in random order."""
    names = [draw.name(4) + str(number) for number in range(count)]
    nodes = [_node(names[0]), _node(names[1])]
    for number in range(2, count):
        sources = [draw.choice(names[max(0, number - 4) : number]) for _ in range(2)]
        # the one right before is always used, so that all depend on one another
        sources = draw.shuffled([names[number - 1], *sources])
        factors = draw.integers(1, 3, len(sources))
        nodes.append(_node(names[number], sources, "scale", factors))
    return draw.shuffled(nodes), names


@check("8.1.d", row="prediction", level="pass")
def test_fan_out_adds_up(student, draw, expect):
    """What a value's several uses send back is added up, also when one node uses it twice."""
    a, b, h, y = (draw.name(n) for n in (3, 4, 5, 6))
    f = draw.integers(2, 9, 6)
    nodes = [
        _node(y, [h, a, b], "scale", f[:3]), _node(h, [a, a], "scale", f[3:5]),
        _node(a), _node(b),
    ]  # fmt: skip
    grad = np.array([1.0, 2.0])
    seen = _pulled(student, expect, draw.shuffled(nodes), y, grad)
    want = {a: grad * (f[1] + f[0] * (f[3] + f[4])), b: grad * f[2]}
    expect.close(seen["leaves"], want, rtol=1e-12, what="the gradients of the leaves")
    one = [_node(y, [a], "scale", [f[5]]), _node(a)]
    seen = _pulled(student, expect, one, y, 3.0)
    expect.close(seen["leaves"], {a: 3.0 * f[5]}, rtol=1e-12, what="a gradient that is a number")
    seen = _pulled(student, expect, one, a, grad)
    expect.close(seen["leaves"], {a: grad}, what="the gradient of a root that is a leaf")


@check("8.1.d", row="prediction", level="pass")
def test_each_node_once_after_its_users(student, draw, expect):
    """In a random graph each node is called once, with the sum of all that its users send."""
    for _ in range(3):
        nodes, names = _random_graph(draw, 9)
        root = names[-1]
        want = {leaf: np.array([factor]) for leaf, factor in _by_paths(nodes, root).items()}
        seen = _pulled(student, expect, nodes, root, np.array([1.0]))
        for name in {n["name"] for n in nodes if n["kind"] != "leaf"}:
            count = seen["called"].count(name)
            expect.equal(count, 1, what=f"calls of node {name}")
        place = {name: number for number, name in enumerate(seen["called"])}
        early = [
            source
            for node in nodes
            for source in node["inputs"]
            if source in place and place[source] < place[node["name"]]
        ]
        expect.equal(len(early), 0, what="nodes called before one that uses their output")
        expect.close(seen["leaves"], want, rtol=1e-12, what="the gradients of the leaves")
        expect.that(seen["graph_kept"], "The graph that was handed in is not what it was.")


@check("8.1.d", row="prediction", level="pass")
def test_arrays_are_not_edited(student, draw, expect):
    """A pull may hand on the array it was given: adding up must not edit it in place."""
    grad = draw.normal((3,), np.float64)
    nodes = [
        _node("y", ["p", "q"], "pass on"), _node("p", ["a", "b"], "pass on"),
        _node("q", ["b", "a"], "pass on"), _node("a"), _node("b"),
    ]  # fmt: skip
    seen = _pulled(student, expect, draw.shuffled(nodes), "y", grad)
    want = {"a": 2 * grad, "b": 2 * grad}
    expect.close(seen["leaves"], want, rtol=1e-12, what="gradients that share an array")
    expect.that(not seen["edited"], "An array that a pull was handed or returned was edited.")


@check("8.1.d", row="prediction", level="pass")
def test_what_no_gradient_reaches(student, draw, expect):
    """Inputs without a name, gradients of None and nodes beside the graph are left alone."""
    nodes = [
        _node("y", ["h", None, "stop"], "scale", [2, 5, 3]),
        _node("stop", ["dead", "a"], "nothing"),
        _node("dead", ["b"], "scale", [7]),
        _node("h", ["a"], "scale", [4]),
        _node("beside", ["a", "y"], "scale", [9, 9]),
        _node("a"), _node("b"), _node("c"),
    ]  # fmt: skip
    seen = _pulled(student, expect, draw.shuffled(nodes), "y", np.array([1.0, -1.0]))
    expect.equal(sorted(seen["called"]), ["h", "stop", "y"], what="the nodes that were called")
    want = {"a": np.array([8.0, -8.0])}
    expect.close(seen["leaves"], want, what="the leaves that a gradient reached")
    nodes = [  # each node is used by the one before it, so that there is but one order
        _node("y", ["h", "a"], "scale", [2, None]), _node("h", ["a", "late"], "scale", [4, 3]),
        _node("late", ["a"], "scale", [None]), _node("a"),
    ]  # fmt: skip
    seen = _pulled(student, expect, draw.shuffled(nodes), "y", np.array([1.0, -1.0]))
    expect.close(seen["leaves"], want, what="what is left of None, a gradient and None again")


@check("8.1.d", row="prediction", level="pass")
def test_zeros_are_gradients(student, draw, expect):
    """A gradient of zeros is sent on like any other and comes out at the leaves: it is no None."""
    f = float(draw.integer(2, 9))
    nodes = [
        _node("y", ["h", "k"], "scale", [0.0, 1.0]), _node("h", ["a", "b"], "scale", [f, 1.0]),
        _node("k", ["b", "sum", "sum"], "scale", [f, f, -f]), _node("sum", ["c"], "scale", [f]),
        _node("a"), _node("b"), _node("c"),
    ]  # fmt: skip
    for grad in (np.array([1.0, 2.0]), 3.0, np.zeros(2), 0.0):
        seen = _pulled(student, expect, draw.shuffled(nodes), "y", grad)
        what = "the nodes that were called, for gradients that are zero in places,"
        expect.equal(sorted(seen["called"]), ["h", "k", "sum", "y"], what=what)
        want = {"a": 0.0 * grad, "b": f * grad, "c": 0.0 * grad}
        expect.close(seen["leaves"], want, rtol=1e-12, what="the gradients of the leaves")


@check("8.1.d", row="prediction", level="pass")
def test_deep_graphs_and_many_paths(student, draw, expect):
    """Sixty squarings have 2^60 paths, and a chain of 20 000 nodes is deeper than the stack."""
    deep = draw.integer(55, 65)
    nodes = [_node("0")] + [
        _node(str(n), [str(n - 1)] * 2, "scale", [0.5, 0.5]) for n in range(1, deep + 1)
    ]
    seen = _pulled(student, expect, draw.shuffled(nodes), str(deep), np.array([3.0]))
    expect.close(seen["leaves"], {"0": np.array([3.0])}, what="the gradient through a ladder")
    deep = draw.integer(19_000, 20_000)
    seen = _pulled(student, expect, deep, str(deep), np.array([3.0]))
    expect.close(seen["leaves"], {"0": np.array([3.0])}, what="the gradient through a chain")


@check("8.1.d", row="prediction", level="pass")
def test_graphs_that_make_no_sense(student, draw, expect):
    """A cycle, a name that is not there, and gradients too many or too few are refused."""
    a, h, y = draw.name(3), draw.name(4), draw.name(5)
    cases = {
        "a cycle of two nodes": [
            _node(y, [h], "pass on"), _node(h, [y, a], "pass on"), _node(a),
        ],
        "a node that takes its own output": [
            _node(y, [h], "pass on"), _node(h, [a, h], "pass on"), _node(a),
        ],
        "an input that is not in the graph": [_node(y, [h, a], "pass on"), _node(h)],
        "a root that is not in the graph": [_node(h, [a], "pass on"), _node(a)],
        "a pull with a gradient too many": [_node(y, [a], "too many"), _node(a)],
        "a pull with a gradient too few": [_node(y, [a, h], "too few"), _node(a), _node(h)],
        "a pull without the gradient of an unnamed input": [
            _node(y, [a, None], "too few"), _node(a),
        ],
        "a pull without any gradient": [_node(y, [a], "too few"), _node(a)],
    }  # fmt: skip
    for why, nodes in cases.items():
        seen = student.run("pulled", {"nodes": nodes, "root": y, "grad": np.array([1.0])})
        refused = "ValueError" in seen.get("raised", [])
        expect.that(refused, f"backward must raise ValueError for {why}.")


# 8.1.e saved_bytes


def _costs(student, expect, buffers, saved, params, want, what):  # noqa: PLR0917
    case = {"buffers": buffers, "saved": saved, "params": params}
    got = student.run("costs", case)
    keys = ["packs", "buffers", "bytes", "naive"]
    expect.keys(got, keys, what="the result")
    for key, wanted in zip(keys, want, strict=True):
        unit = "B" if key in ("bytes", "naive") else ""
        expect.equal(got[key], wanted, what=f"{key} of {what}", unit=unit)


@check("8.1.e", row="prediction", level="pass")
def test_each_buffer_once(student, draw, expect):
    """A buffer that was saved several times, as itself or as views, counts once."""
    n, m = draw.integer(4, 9), draw.integer(4, 9)
    size, other = 4 * n * m, 8 * n
    saved = [(0, "itself"), (1, "all"), (0, "transposed"), (0, "itself"), (0, "flat"), (1, "rows")]
    _costs(
        student, expect, [((n, m), "float32"), ((n,), "float64")], draw.shuffled(saved), [],
        [6, 2, size + other, 4 * size + other + 16], "six saves on two buffers",
    )  # fmt: skip
    _costs(student, expect, [((n,), "float32")], [], [(0, "all")], [0, 0, 0, 0], "nothing saved")


@check("8.1.e", row="prediction", level="pass")
def test_views_cost_their_whole_buffer(student, draw, expect):
    """A slice keeps the buffer it was cut from; a broadcast view costs no more than its buffer."""
    n, m = draw.integer(20, 40), draw.integer(3, 6)
    size = 4 * n * m
    _costs(
        student, expect, [((n, m), "float32")] * 2, [(0, "corner"), (1, "rows")], [],
        [2, 2, 2 * size, 4 + 8 * m], "a corner of one buffer and two rows of another",
    )  # fmt: skip
    _costs(
        student, expect, [((n, m), "float32")], [(0, "corner"), (0, "rows")], [],
        [2, 1, size, 4 + 8 * m], "two views of one buffer that do not overlap",
    )  # fmt: skip
    _costs(
        student, expect, [((n, m), "float32")], [(0, "repeated"), (0, "bytes")], [],
        [2, 1, size, 6 * size], "a broadcast view and a view of another dtype",
    )  # fmt: skip
    _costs(
        student, expect, [((n, m), "float32"), ((0, m), "float32")],
        [(0, "none"), (1, "itself")], [], [2, 2, size, 0],
        "an empty slice and an empty buffer",
    )  # fmt: skip


@check("8.1.e", row="prediction", level="pass")
def test_parameters_by_their_buffer(student, draw, expect):
    """A view of a parameter costs nothing extra, and so does the rest of a parameter's buffer."""
    n, m = draw.integer(5, 9), draw.integer(5, 9)
    size = 4 * n * m
    buffers = [((n, m), "float32"), ((n, m), "float32"), ((n, m), "float32")]
    saved = [(0, "transposed"), (1, "all"), (2, "itself"), (0, "itself")]
    _costs(
        student, expect, buffers, draw.shuffled(saved), [(0, "itself")],
        [4, 2, 2 * size, 2 * size], "views of a parameter beside two equal arrays",
    )  # fmt: skip
    _costs(
        student, expect, buffers, [(0, "itself"), (1, "itself")], [(0, "rows"), (2, "flat")],
        [2, 1, size, size], "a buffer of which a parameter is a slice",
    )  # fmt: skip
    _costs(
        student, expect, buffers, [(0, "corner"), (1, "itself")], [(0, "rows"), (2, "flat")],
        [2, 1, size, size], "another slice of the buffer of a parameter",
    )  # fmt: skip
