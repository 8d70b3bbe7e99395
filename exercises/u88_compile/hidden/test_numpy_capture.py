"""Hidden checks of capture (8.8.a): drawn programs, whose graphs follow from their steps."""

from __future__ import annotations

import numpy as np

from grader.checks import check

PLAIN = {"len", "ndim", "size", "width", "const", "give", "give list", "give tuple"}
BREAKS = {"if": "bool", "float": "float", "int": "int", "item": "item"}
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "matmul": np.matmul, "greater": np.greater, "less": np.less,
    "greater_equal": np.greater_equal, "less_equal": np.less_equal,
    "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip
UNARY = {"negative": np.negative, "absolute": np.absolute, "exp": np.exp, "tanh": np.tanh,
         "sum": np.sum, "mean": np.mean}  # fmt: skip


def _truth(steps, args):
    """Return what a capture of these steps must be, by running them on the arrays themselves."""
    values = list(args)
    names = [f"x{i}" if isinstance(a, np.ndarray) else a for i, a in enumerate(args)]
    graphs, breaks, count = [[]], [], 0
    for name, *operands in steps:
        if name.startswith("give"):
            many = len(operands) > 1 or name != "give"
            given, shown = [values[r] for r in operands], [names[r] for r in operands]
            return {
                "graphs": [graph for graph in graphs if graph], "breaks": breaks,
                "output": shown if many else shown[0], "value": given if many else given[0],
            }  # fmt: skip
        if name in BREAKS and isinstance(values[operands[0]], np.ndarray | np.generic):
            breaks.append(BREAKS[name])
            graphs.append([])
        if name == "const":
            value = shown = operands[0]
        elif name == "size":
            value = shown = values[operands[0]].shape[operands[1]]
        elif name == "width":
            value = shown = values[operands[0]].dtype.itemsize
        elif name in ("len", "ndim"):
            value = shown = len(values[operands[0]]) if name == "len" else values[operands[0]].ndim
        elif name == "if":
            taken = operands[1] if values[operands[0]] else operands[2]
            value, shown = values[taken], names[taken]
        elif name in BREAKS:
            value = shown = (int if name == "int" else float)(values[operands[0]])
        else:
            function = np.where if name == "where" else BINARY.get(name) or UNARY[name]
            value, shown = function(*(values[r] for r in operands)), f"v{count}"
            count += 1
            graphs[-1].append({"op": name, "inputs": [names[r] for r in operands],
                               "shape": list(np.shape(value))})  # fmt: skip
        values.append(value)
        names.append(shown)
    raise AssertionError(steps)


def _array(draw, *shape):
    return np.asarray(draw.rng.integers(-4, 5, shape), dtype=np.float64)


def _ask(student, expect, programs):
    """Capture programs ``(steps, args, named)``; return the answers, each with a value."""
    case = [{"steps": steps, "args": args, "named": named} for steps, args, named in programs]
    answers = student.run("captured", {"programs": case})
    for answer in answers:
        expect.that(answer["kept"], "capture changed its arguments.")
        raised = answer.get("raised")
        expect.that(not raised, "capture must not raise here.",
                    raised and f"{raised[0]}: {answer['message']}")  # fmt: skip
        keys = ["graphs", "breaks", "output", "value"]
        expect.keys(answer["value"], keys, what="the answer")
    return [answer["value"] for answer in answers]


def _hold(expect, got, steps, args, what):
    want = _truth(steps, args)
    expect.equal(got["breaks"], want["breaks"], what=f"breaks of {what}")
    expect.close(got["graphs"], want["graphs"], rtol=1e-9, what=f"graphs of {what}")
    expect.equal(got["output"], want["output"], what=f"output of {what}")
    expect.close(got["value"], want["value"], rtol=1e-9, what=f"value of {what}")


def _line(draw, registers, arrays, length):
    """Return steps without a break; `arrays` are the registers that hold floats, grown in place."""
    steps, number = [], None
    for _ in range(length):
        kind = draw.integer(0, 5)
        if kind == 0:
            steps.append([draw.choice(["negative", "absolute", "tanh"]), draw.choice(arrays)])
        elif kind == 1:
            steps.append([draw.choice(["sum", "mean"]), draw.choice(arrays)])
        elif kind == 2:
            steps.append(["const", draw.choice([2, 3.0, -1.5])])
            number = registers + len(steps) - 1
            pair = draw.shuffled([number, draw.choice(arrays)])
            steps.append([draw.choice(["add", "subtract", "multiply"]), *pair])
        else:
            name = draw.choice(["add", "subtract", "multiply", "maximum", "minimum"])
            steps.append([name, draw.choice(arrays), draw.choice(arrays)])
        arrays.append(registers + len(steps) - 1)
    return steps


def _every_operation(student, draw, expect):
    """Every operation is written down once, in order, with its operands and its shape."""
    programs = []
    for _ in range(8):
        size = draw.integer(1, 4)
        args = [_array(draw, size, size), _array(draw, size, size), _array(draw, size, size)]
        arrays = [0, 1, 2]
        steps = _line(draw, 3, arrays, draw.integer(2, 9))
        programs.append(([*steps, ["give", arrays[-1]]], args, {}))
    # each operation once, with numbers on either side of it
    square, other = _array(draw, 3, 3), _array(draw, 3, 3)
    every = [["const", 2.0], ["matmul", 0, 1], ["subtract", 2, 3], ["divide", 4, 2],
             ["divide", 2, 4], ["greater", 0, 1], ["less", 0, 2], ["where", 7, 0, 8],
             ["greater_equal", 0, 2], ["less_equal", 1, 2], ["maximum", 0, 2], ["minimum", 2, 1],
             ["tanh", 0], ["exp", 14], ["absolute", 1], ["negative", 16], ["add", 2, 17],
             ["mean", 18], ["sum", 18], ["multiply", 19, 20], ["where", 7, 2, 21],
             ["where", 8, 22, 2], ["give list", 21, 23]]  # fmt: skip
    other[other == 2] = 1  # so that nothing divides by zero
    square = np.abs(square) + 3
    programs.append((every, [square, np.abs(other) + 1], {}))
    for got, (steps, args, _) in zip(_ask(student, expect, programs), programs, strict=True):
        _hold(expect, got, steps, args, f"a program of {len(steps) - 1} steps without a break")


def _values_in_the_middle(student, draw, expect):
    """A value that is needed ends the graph; the function goes on with it in the next one."""
    programs = []
    for kind in ("if", "float", "int", "item", "if", "item"):
        x, y = _array(draw, 3, 3), _array(draw, 3, 3)
        above = draw.choice([-0.5, 0.5])
        steps = [["multiply", 0, 1], ["sum", 2]]
        if kind == "if":
            steps += [["const", above], ["greater", 3, 4], [kind, 5, 0, 1], ["add", 6, 2]]
        else:
            steps += [[kind, 3], ["multiply", 0, 4], ["subtract", 4, 5], ["tanh", 6]]
        programs.append(([*steps, ["give", len(steps) + 1]], [x, y], {}))
    # several breaks, and three graphs
    steps = [["sum", 0], ["item", 2], ["multiply", 1, 3], ["sum", 4], ["float", 5],
             ["add", 0, 6], ["give", 7]]  # fmt: skip
    programs.append((steps, [_array(draw, 2, 3), _array(draw, 2, 3)], {}))
    for got, (steps, args, _) in zip(_ask(student, expect, programs), programs, strict=True):
        kinds = ", ".join(step[0] for step in steps if step[0] in BREAKS)
        _hold(expect, got, steps, args, f"a program with {kinds} in the middle")


@check("8.8.a", row="fault_repair", level="strong")
def test_breaks_at_head_and_tail(student, draw, expect):
    """A break before the first or after the last operation is a break, but makes no graph."""
    one = _array(draw)
    programs = [
        ([["item", 0], ["multiply", 0, 1], ["give", 2]], [one], {}),
        ([["sum", 0], ["float", 1], ["give", 2]], [_array(draw, 4)], {}),
        ([["int", 0], ["float", 0], ["add", 0, 1], ["item", 0], ["item", 3], ["give", 3]],
         [one], {}),
        ([["float", 0], ["give", 1]], [one], {}),
        ([["give", 0]], [_array(draw, 2, 2)], {}),
        ([["const", 4], ["give", 1]], [_array(draw, 2, 2)], {}),
    ]  # fmt: skip
    for got, (steps, args, _) in zip(_ask(student, expect, programs), programs, strict=True):
        _hold(expect, got, steps, args, "a program with a break at an edge, or with no operation")


def _sizes_are_constants(student, draw, expect):
    """Shapes, lengths and plain arguments are values: no operation, no break, but constants."""
    x, rows = _array(draw, draw.integer(2, 5), draw.integer(6, 9)), draw.integer(2, 9)
    programs = [
        ([["size", 0, 1], ["multiply", 0, 1], ["give", 2]], [x], {}),
        ([["len", 0], ["ndim", 0], ["add", 0, 1], ["subtract", 2, 3], ["give", 4, 1]], [x], {}),
        ([["multiply", 0, 1], ["add", 3, 2], ["give", 4, 0, 1]], [x, rows, _array(draw, 1)], {}),
        # a branch on a size is decided while capturing, and leaves no trace
        ([["len", 0], ["if", 1, 0, 1], ["tanh", 2], ["give", 3]], [x], {}),
        ([["width", 0], ["multiply", 0, 1], ["width", 2], ["give", 2, 3]], [x], {}),
        # one result in a list or a tuple stays in one
        ([["tanh", 0], ["give list", 1]], [x], {}),
        ([["tanh", 0], ["give tuple", 1]], [x], {}),
    ]
    for got, (steps, args, _) in zip(_ask(student, expect, programs), programs, strict=True):
        _hold(expect, got, steps, args, "a program that asks for sizes")


def _one_graph_or_an_error(student, draw, expect):
    """With fullgraph the first break is a GraphBreak, at once; without a break nothing changes."""
    programs, stops = [], []
    for kind in ("if", "float", "int", "item"):
        steps = [["sum", 0], ["tanh", 1], [kind, 1, 0, 1] if kind == "if" else [kind, 1],
                 ["add", 0, 1], ["give", 4]]  # fmt: skip
        programs.append({"steps": steps, "args": [_array(draw, 3)], "named": {"fullgraph": True}})
        stops.append((BREAKS[kind], 3))
    for answer, (kind, place) in zip(
        student.run("captured", {"programs": programs}), stops, strict=True
    ):
        raised = answer.get("raised")
        fine = isinstance(raised, list) and raised[:1] == ["GraphBreak"]
        expect.that(
            fine, f"{kind} must raise GraphBreak with fullgraph=True.", raised and raised[0]
        )
        expect.equal(answer["message"], kind, what="the message of the GraphBreak")
        expect.equal(answer["begun"], place, what="steps begun before the GraphBreak")
    steps, args = [["tanh", 0], ["size", 0, 0], ["add", 1, 2], ["give", 3]], [_array(draw, 3, 2)]
    [got] = _ask(student, expect, [(steps, args, {"fullgraph": True})])
    _hold(expect, got, steps, args, "a program without a break, with fullgraph=True")


def _arrays_of_any_kind(student, draw, expect):
    """Empty arrays, single numbers, integers, bools and transposed views are captured alike."""
    straight = [["add", 0, 0], ["sum", 1], ["give", 2, 1]]
    wide = _array(draw, 2, 5)
    cases = [
        (straight, [np.zeros((0, 3))], False), (straight, [np.array(2.5)], False),
        (straight, [_array(draw, 1, 1)], False), (straight, [np.arange(4)], False),
        (straight, [_array(draw, 3).astype(np.float16)], False), (straight, [wide], True),
        (straight, [np.array([True, False])], False),
        ([["matmul", 0, 1], ["give", 2]], [wide, _array(draw, 3, 2)], True),
    ]  # fmt: skip
    case = [{"steps": steps, "args": args, "named": {}, "transposed": turned}
            for steps, args, turned in cases]  # fmt: skip
    for answer, (steps, args, turned) in zip(
        student.run("captured", {"programs": case}), cases, strict=True
    ):
        raised = answer.get("raised")
        expect.that(not raised, "capture must not raise here.", raised and answer["message"])
        expect.keys(answer["value"], ["graphs", "breaks", "output", "value"], what="the answer")
        given = [arg.T for arg in args] if turned else args
        what = f"a program on {given[0].dtype} of shape {list(given[0].shape)}"
        _hold(expect, answer["value"], steps, given, what)


@check("8.8.a", row="fault_repair", level="pass")
def test_operations_in_order(student, draw, expect):
    """Every operation is written down once, in order, with its operands and its shape."""
    _every_operation(student, draw, expect)
    _arrays_of_any_kind(student, draw, expect)
    _sizes_are_constants(student, draw, expect)


@check("8.8.a", row="fault_repair", level="pass")
def test_a_value_splits_the_graph(student, draw, expect):
    """A value that is needed ends the graph, or is an error if only one is allowed."""
    _values_in_the_middle(student, draw, expect)
    _one_graph_or_an_error(student, draw, expect)
