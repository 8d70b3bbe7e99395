"""Hidden checks of find_break (8.8.e) and compile_counts (8.8.f) against an instrument."""

from __future__ import annotations

from grader.checks import check
from grader.checks.numbers import is_count
from grader.checks.watched import watched

WORDS = {
    "item": "a value read by .item()",
    "as_float": "a value read by float()",
    "nonzero": "nonzero()",
    "mask": "a mask as an index",
    "tolist": "tolist() at the end",
    "branch": "a branch on a value",
    "branch_at_the_end": "a branch on a value after the last operation",
    "print_first": "a print before the first operation",
    "print_last": "a print after the last operation",
    "print_between": "a print between operations",
    "disabled_helper": "a call of a disabled function",
    "explicit": "an explicit graph_break()",
    "clock": "a clock that is read",
    "twice": "two breaks",
    "plain": "a function without a break",
    "shape_branch": "a branch on a shape",
    "length": "len()",
    "through_numpy": "a way through NumPy",
    "chosen": "torch.where",
    "same": "a function without operations",
}


def _find(student, reference, draw, expect, kinds, *, broken, used=()):
    """Hold find_break against the instrument for functions that are known to break, or not to.

    Those that were `used` are compiled up to torch's limit before.
    """
    case = {"kinds": draw.shuffled(kinds), "x": [draw.uniform(0.5, 2) for _ in range(3)],
            "used": list(used)}  # fmt: skip
    answers = watched(student, expect, "found", case)
    true = reference.run("known", case)
    for kind, got, want in zip(case["kinds"], answers, true, strict=True):
        what = WORDS[kind]
        expect.that(want["broken"] is broken, f"torch of this version tells {what} otherwise.")
        expect.keys(got, ["broken", "reason", "graphs", "operators"], what=f"the answer for {what}")
        expect.that(isinstance(got["broken"], bool), "`broken` must be a bool.", got["broken"])
        said = "is a break, which was not seen" if broken else "is no break"
        expect.that(got["broken"] is broken, f"{what[0].upper()}{what[1:]} {said}.", got["broken"])
        before = ", which others compiled before," if kind in used else ""
        for key in ("graphs", "operators"):
            expect.equal(got[key], want[key], what=f"{key} for {what}{before}")
        expect.equal(got["reason"], want["reason"], what=f"the reason for {what}")


@check("8.8.e", row="fault_repair", level="pass")
def test_breaks_between_operations(student, reference, draw, expect):
    """A break in the middle is seen, with torch's reason and all graphs around it."""
    kinds = ["branch", "print_between", draw.choice(["disabled_helper", "explicit", "clock"])]
    _find(student, reference, draw, expect, kinds, broken=True)


def _functions_without_a_break(student, reference, draw, expect):
    """Shapes, NumPy on a CPU, torch.where and functions without operations are no break."""
    kinds = [draw.choice(["plain", "length", "chosen"]), "shape_branch", "through_numpy", "same"]
    _find(student, reference, draw, expect, kinds, broken=False, used=kinds[:1])


@check("8.8.e", row="fault_repair", level="strong")
def test_values_that_are_read(student, reference, draw, expect):
    """A value that is read is a break, also where fullgraph=True would let it pass."""
    kinds = [draw.choice(["item", "as_float"]), "mask", "nonzero"]
    _find(student, reference, draw, expect, kinds, broken=True)


@check("8.8.e", row="fault_repair", level="strong")
def test_breaks_at_the_edges(student, reference, draw, expect):
    """A break before the first or after the last operation is seen, though it leaves one graph."""
    kinds = ["print_first", "print_last", "branch_at_the_end", draw.choice(["tolist", "twice"])]
    _find(student, reference, draw, expect, kinds, broken=True)


def _an_error_is_no_break(student, expect):
    """What the function itself raises goes on to the caller."""
    seen = watched(student, expect, "raising", {})
    raised = seen.get("raised")
    expect.that(raised is not None, "An error of the function was taken for a break, or swallowed.",
                seen.get("answer"))  # fmt: skip
    expect.that("of the function itself" in str(raised), "Another error came out.", raised)


def _modules_and_several_arguments(student, expect):
    """Modules, and functions of several arguments, are inspected as they are."""
    answers = student.run("of_modules", {})
    for got, broken, what in zip(
        answers, (False, True, True, False),
        ("a Linear layer", "a module that reads a value", "a branch, in two arguments",
         "a product of two arguments"),
        strict=True,
    ):  # fmt: skip
        expect.keys(got, ["broken", "reason", "graphs", "operators"], what=f"the answer for {what}")
        expect.that(
            got["broken"] is broken, f"`broken` must be {broken} for {what}.", got["broken"]
        )
        expect.equal(got["reason"] != "", broken, what=f"whether there is a reason for {what}")


@check("8.8.e", row="fault_repair", level="pass")
def test_what_is_no_break(student, reference, draw, expect):
    """Shapes, NumPy on a CPU and torch.where are no break, and an error of the function is none."""
    _functions_without_a_break(student, reference, draw, expect)
    _an_error_is_no_break(student, expect)
    _modules_and_several_arguments(student, expect)


# --- compile_counts


def _shapes(*sizes):
    return [[{"shape": list(size) if isinstance(size, tuple) else [size]}] for size in sizes]


def _count(student, reference, expect, sequences):
    """Hold compile_counts against the instrument; return the answers."""
    answers = watched(student, expect, "counted", {"sequences": [s for s, _ in sequences]})
    true = reference.run("known_counts", {"sequences": [s for s, _ in sequences]})
    for got, want, (_, what) in zip(answers, true, sequences, strict=True):
        expect.keys(got, ["compiled", "ran"], what=f"the answer for {what}")
        for key in ("compiled", "ran"):
            expect.equal(got[key], want[key], what=f"{key!r} for {what}")
            fine = all(is_count(number) for number in got[key])
            expect.that(fine, f"{key!r} must hold ints.", got[key])
    return answers


def _changing_sizes(student, reference, draw, expect):
    """Each call has its own number of graphs that were compiled, and that ran."""
    a, b, c = draw.shuffled(range(2, 20))[:3]
    sequences = [
        ({"function": "double", "calls": _shapes(a, a, b, c), "named": {}}, "sizes that change"),
        (
            {"function": "double", "calls": _shapes(a, b, a), "named": {"dynamic": False}},
            "dynamic=False",
        ),
        (
            {"function": "double", "calls": _shapes(a, b, 1), "named": {"dynamic": True}},
            "dynamic=True",
        ),
        ({"function": "module", "calls": _shapes((a, 3), (b, 3)), "named": {}}, "a module"),
        ({"function": "double", "calls": [], "named": {}}, "no call"),
    ]
    _count(student, reference, expect, sequences)


def _two_graphs_and_none(student, reference, draw, expect):
    """A broken function counts two graphs, one without operations none, in each call."""
    a, b = draw.shuffled(range(2, 20))[:2]
    sequences = [
        ({"function": "broken", "calls": _shapes(a, a, b), "named": {}}, "a broken function"),
        ({"function": "nothing", "calls": _shapes(a, b), "named": {}}, "nothing to compile"),
        ({"function": "times", "calls": [[*_shapes(a)[0], n] for n in (a, b, a + b)],
          "named": {}}, "ints that change"),
    ]  # fmt: skip
    _count(student, reference, expect, sequences)


def _what_was_compiled_before(student, reference, draw, expect):
    """What somebody compiled before does not count, and does not save a compilation either."""
    a, b = draw.shuffled(range(2, 20))[:2]
    first = {"function": "double", "calls": _shapes(a, b, a), "named": {}}
    sequences = [
        ({**first, "compiled before": True}, "a function that was compiled before"),
        (first, "the same function once more"),
    ]
    _count(student, reference, expect, sequences)


@check("8.8.f", row="fault_repair", level="strong")
def test_calls_that_ran_eagerly(student, reference, draw, expect):
    """Behind the limit nothing compiled runs, and nothing is compiled: the count says so."""
    sizes = draw.shuffled(range(2, 40))[:10]
    calls = _shapes(*sizes, sizes[0])
    sequences = [({"function": "double", "calls": calls, "named": {"dynamic": False}},
                  "ten sizes with dynamic=False")]  # fmt: skip
    [got] = _count(student, reference, expect, sequences)
    expect.that(0 in got["ran"], "No call is shown as one that ran eagerly.", got["ran"])


@check("8.8.f", row="fault_repair", level="pass")
def test_counts_call_by_call(student, reference, draw, expect):
    """Each call has its own number of graphs compiled and run, from a clean start."""
    _changing_sizes(student, reference, draw, expect)
    _two_graphs_and_none(student, reference, draw, expect)
    _what_was_compiled_before(student, reference, draw, expect)
