"""Hidden checks of guard_failure (8.8.b) and compile_log (8.8.c): drawn calls, and torch itself."""

from __future__ import annotations

import math

from grader.checks import check

MISS = {"argument", "kind", "index", "expected", "actual"}


def _array(shape, dtype="float32"):
    return {"shape": list(shape), "dtype": dtype}


def _pair(example, args, dynamic=(), shared=()):
    return {"example": example, "args": args, "dynamic": [list(p) for p in dynamic],
            "shared": [list(p) for p in shared]}  # fmt: skip


def _miss(argument, kind, index, expected, actual):
    return dict(zip(("argument", "kind", "index", "expected", "actual"),
                    (argument, kind, index, expected, actual), strict=True))  # fmt: skip


def _judge(student, expect, cases):
    """Hold guard_failure against ``(case, want, words)`` each."""
    answers = student.run("guarded", {"cases": [case for case, _, _ in cases]})
    for answer, (_, want, words) in zip(answers, cases, strict=True):
        raised = answer.get("raised")
        expect.that(not raised, f"guard_failure must not raise for {words}.",
                    raised and f"{raised[0]}: {answer['message']}")  # fmt: skip
        got = answer.get("value")
        if want is None:
            expect.that(got is None, f"No guard fails for {words}: None is expected.", got)
            continue
        expect.keys(got, MISS, what=f"the failure for {words}")
        picked = {key: got[key] for key in want}
        expect.equal(picked["kind"], want["kind"], what=f"the guard that fails for {words}")
        expect.equal(picked, want, what=f"the failure for {words}")


def _drawn_arguments(student, draw, expect):
    """Argument by argument: type, dtype, rank, sizes by index; the first difference is told."""
    a, b, c, d = draw.shuffled(range(3, 20))[:4]
    two = [_array([a, b]), _array([c])]
    cases = [
        (_pair(two, two), None, "equal arguments"),
        (_pair(two, [_array([d, b]), _array([c])]), _miss(0, "size", 0, a, d), "its first size"),
        (_pair(two, [_array([a, d]), _array([c])]), _miss(0, "size", 1, b, d), "another last size"),
        (_pair(two, [_array([d, c]), _array([d])]), _miss(0, "size", 0, a, d), "all sizes changed"),
        (_pair(two, [_array([a, b]), _array([d])]), _miss(1, "size", 0, c, d),
         "a changed second argument"),
        (_pair(two, [_array([d, b], "float64"), _array([c])]),
         _miss(0, "dtype", None, "float32", "float64"), "another dtype and another size"),
        (_pair(two, [_array([a, b, d]), _array([c])]), _miss(0, "rank", None, 2, 3), "its rank"),
        (_pair(two, [_array([a, b, d], "int64"), _array([c])]),
         _miss(0, "dtype", None, "float32", "int64"), "another rank and another dtype"),
        (_pair([_array([]), _array([0, 3])], [_array([]), _array([0, 3])]), None,
         "no dimension, and no entry"),
        (_pair([_array([0, 3])], [_array([1, 3])]), _miss(0, "size", 0, 0, 1), "0 and 1 rows"),
        (_pair([_array([a]), 3], [_array([a]), _array([])]),
         _miss(1, "type", None, "int", "ndarray"), "an array in the place of a number"),
        (_pair([_array([a]), None], [_array([b], "float64"), 1]),
         _miss(0, "dtype", None, "float32", "float64"), "two arguments that differ"),
    ]  # fmt: skip
    _judge(student, expect, draw.shuffled(cases))


def _plain_values_are_guarded_by_value(student, draw, expect):
    """A plain value must be equal and of the same type; NaN is equal to NaN."""
    n, text = draw.integer(2, 99), draw.name()
    cases = [
        (_pair([n, text, None, True, 0.5], [n, text, None, True, 0.5]), None, "equal values"),
        (_pair([n], [n + 1]), _miss(0, "value", None, n, n + 1), "another int"),
        (_pair([n], [float(n)]), _miss(0, "type", None, "int", "float"), "an int and a float"),
        (_pair([1], [True]), _miss(0, "type", None, "int", "bool"), "1 and True"),
        (_pair([False], [0]), _miss(0, "type", None, "bool", "int"), "False and 0"),
        (_pair([True], [False]), _miss(0, "value", None, True, False), "True and False"),
        (_pair([None], [0]), _miss(0, "type", None, "NoneType", "int"), "None and 0"),
        (_pair([text], [text + "x"]), _miss(0, "value", None, text, text + "x"), "another text"),
        (_pair([math.nan, 1], [math.nan, 1]), None, "NaN and NaN"),
        (_pair([1.5, math.nan], [1.5, 2.5]), {"argument": 1, "kind": "value", "actual": 2.5},
         "NaN and a number"),
        (_pair([], []), None, "no arguments"),
    ]  # fmt: skip
    _judge(student, expect, draw.shuffled(cases))


def _dynamic_places(student, draw, expect):
    """A dynamic size may be anything but 0 and 1, a dynamic number anything of its type."""
    a, b, c = draw.shuffled(range(2, 20))[:3]
    example = [_array([a, b]), 3, 0.5]
    rows, both, numbers = [(0, 0)], [(0, 0), (0, 1)], [(1, None), (2, None)]

    def call(*shape, n=3, f=0.5):
        return [_array(shape), n, f]

    cases = [
        (_pair(example, call(c, b), rows), None, "another dynamic size"),
        (_pair(example, call(2, b), rows), None, "a dynamic size of 2"),
        (_pair(example, call(1, b), rows), _miss(0, "zero_one", 0, 2, 1), "a dynamic size of 1"),
        (_pair(example, call(0, b), rows), _miss(0, "zero_one", 0, 2, 0), "a dynamic size of 0"),
        (_pair(example, call(c, 1), both), _miss(0, "zero_one", 1, 2, 1), "a second one of 1"),
        (_pair(example, call(c, c), rows), _miss(0, "size", 1, b, c), "a size that is not dynamic"),
        (_pair(example, call(1, c), [(0, 1)]), _miss(0, "size", 0, a, 1), "the other one dynamic"),
        (_pair(example, call(1, c), rows), _miss(0, "zero_one", 0, 2, 1),
         "a dynamic size of 1 before one that is not dynamic"),
        (_pair(example, call(c, 0), [(0, 1)]), _miss(0, "size", 0, a, c),
         "a size that is not dynamic before a dynamic one of 0"),
        (_pair(example, call(a, b, n=7, f=2.5), numbers), None, "dynamic numbers"),
        (_pair(example, call(a, b, n=0, f=1.0), numbers), None, "dynamic numbers of 0 and 1"),
        (_pair(example, call(a, b, n=7.0), numbers), _miss(1, "type", None, "int", "float"),
         "a dynamic int that is a float"),
        (_pair(example, call(a, b, n=True), numbers), _miss(1, "type", None, "int", "bool"),
         "a dynamic int that is a bool"),
        (_pair(example, call(a, b, f=1.0), [(1, None)]), _miss(2, "value", None, 0.5, 1.0),
         "the number that is not dynamic"),
        (_pair(example, [_array([c, b], "float64"), 3, 0.5], rows),
         _miss(0, "dtype", None, "float32", "float64"), "another dtype of a dynamic array"),
    ]  # fmt: skip
    _judge(student, expect, draw.shuffled(cases))


def _sizes_that_share_a_symbol(student, draw, expect):
    """Sizes that were equal in the example and share a symbol must be equal again."""
    a, b, c, d = draw.shuffled(range(2, 20))[:4]
    square, all_of_it = [_array([a, a])], [(0, 0), (0, 1)]
    example = [_array([a, b]), _array([b, a])]
    every = [(0, 0), (0, 1), (1, 0), (1, 1)]
    backwards, cube = every[::-1], [(0, 2), (0, 0), (0, 1)]
    cases = [
        (_pair(square, [_array([c, c])], all_of_it, all_of_it), None, "a square that grew"),
        (_pair(square, [_array([c, d])], all_of_it, all_of_it), _miss(0, "shared", 1, c, d),
         "a square that is none any more"),
        (_pair(square, [_array([c, d])], all_of_it, ()), None, "symbols that are not shared"),
        (_pair(square, [_array([c, d])], all_of_it, [(0, 1)]), None, "one shared symbol alone"),
        (_pair(example, [_array([c, d]), _array([d, c])], every, every), None, "pairs kept"),
        (_pair(example, [_array([c, d]), _array([d, b])], every, every),
         _miss(1, "shared", 1, c, b), "the second pair broken"),
        (_pair(example, [_array([c, d]), _array([a, b])], every, every),
         _miss(1, "shared", 0, d, a), "both pairs broken"),
        (_pair(example, [_array([c, d]), _array([a, b])], backwards, backwards),
         _miss(1, "shared", 0, d, a), "both pairs broken, places in another order"),
        (_pair([_array([a, a, a])], [_array([b, c, d])], cube, cube),
         _miss(0, "shared", 1, b, c), "a cube that is none any more, places in another order"),
        (_pair(example, [_array([c, c]), _array([c, c])], every, every), None,
         "sizes that became equal"),
        (_pair(example, [_array([c, d]), _array([d, 1])], every, every),
         _miss(1, "zero_one", 1, 2, 1), "a size of 1 that should be shared"),
        (_pair([_array([a, a]), 3], [_array([c, d]), 4], all_of_it, all_of_it),
         _miss(1, "value", None, 3, 4), "a value and a symbol that differ"),
    ]  # fmt: skip
    _judge(student, expect, draw.shuffled(cases))


@check("8.8.b", row="fault_repair", level="pass")
def test_places_that_are_none(student, draw, expect):
    """Another number of arguments, and symbols for what cannot be one, are refused."""
    a, b = draw.integer(2, 9), draw.integer(10, 20)
    example = [_array([a, 1, 0, b]), 3, True, "text", None]
    bad = [
        (_pair(example, example[:-1]), "for too few arguments"),
        (_pair(example[:1], example[:2]), "for too many arguments"),
        (_pair(example, example, [(5, 0)]), "if the argument does not exist"),
        (_pair(example, example, [(0, 4)]), "if the index does not exist"),
        (_pair(example, example, [(0, -1)]), "if the index is negative"),
        (_pair(example, example, [(-5, 3)]), "if the argument is negative"),
        (_pair(example, example, [(4, None)]), "if None is dynamic"),
        (_pair(example, example, [(0, 1)]), "if a size of 1 is dynamic"),
        (_pair(example, example, [(0, 0), (0, 2)]), "if a size of 0 is dynamic"),
        (_pair(example, example, [(2, None)]), "if a bool is dynamic"),
        (_pair(example, example, [(3, None)]), "if a text is dynamic"),
        (_pair(example, example, [(0, None)]), "if an array is dynamic without an index"),
        (_pair(example, example, [(1, 0)]), "if a number is dynamic with an index"),
        (_pair(example, example, [(0, 0)], [(0, 3)]), "if a shared size is not dynamic"),
        (_pair(example, example, [(1, None)], [(1, None)]), "if a number is shared"),
    ]
    answers = student.run("guarded", {"cases": [case for case, _ in bad]})
    for answer, (_, why) in zip(answers, bad, strict=True):
        raised = answer.get("raised")
        seen = raised[0] if isinstance(raised, list) else answer.get("value")
        fine = isinstance(raised, list) and "ValueError" in raised
        expect.that(fine, f"guard_failure must raise ValueError {why}.", seen)
    _judge(student, expect, [(_pair(example, example, [(0, 0), (0, 3), (1, None)]), None,
                              "symbols that are possible")])  # fmt: skip


def _the_guard_that_torch_names(student, reference, draw, expect):
    """For arrays drawn just now the guard that fails is the one that torch names."""
    kinds = ["float32", "float64", "int64"]
    pairs = []
    for _ in range(8):
        rank = draw.integer(1, 3)
        example = _array(draw.integers(2, 9, rank), draw.choice(kinds))
        changed = draw.shuffled(range(3))[: draw.integer(1, 2)]
        args = dict(example, shape=list(example["shape"]))
        if 0 in changed:
            args["dtype"] = draw.choice([kind for kind in kinds if kind != example["dtype"]])
        if 1 in changed:
            args["shape"][draw.integer(0, rank - 1)] += draw.integer(1, 5)
        if 2 in changed and draw.integer(0, 1):
            args["shape"].append(draw.integer(2, 5))
        elif changed == [2]:
            args["shape"][-1] += 1
        pairs.append(([example], [args]))
    named = reference.run("torch_guards", {"pairs": [list(p) for p in pairs]}, stage="torch")
    cases = [
        (_pair(*pair), {"argument": 0, **true}, f"{pair[0][0]} and then {pair[1][0]}")
        for pair, true in zip(pairs, named, strict=True)
    ]
    _judge(student, expect, cases)


@check("8.8.b", row="fault_repair", level="pass")
def test_the_first_guard_that_fails(student, reference, draw, expect):
    """Argument by argument the first difference is told, the one that torch names for arrays."""
    _drawn_arguments(student, draw, expect)
    _plain_values_are_guarded_by_value(student, draw, expect)
    _the_guard_that_torch_names(student, reference, draw, expect)


@check("8.8.b", row="fault_repair", level="pass")
def test_symbols_stand_for_two_and_more(student, draw, expect):
    """A symbol stands for any size but 0 and 1, or any number; shared ones stay equal."""
    _dynamic_places(student, draw, expect)
    _sizes_that_share_a_symbol(student, draw, expect)


# --- compile_log


def _sizes(*sizes):
    return [[_array([size])] for size in sizes]


def _logs(student, expect, cases):
    """Return the actions and reasons of each ``(calls, named)``."""
    asked = [{"calls": calls, "named": named} for calls, named in cases]
    logs = []
    for answer, (calls, _) in zip(student.run("logged", {"cases": asked}), cases, strict=True):
        raised = answer.get("raised")
        expect.that(not raised, "compile_log must not raise here.",
                    raised and f"{raised[0]}: {answer['message']}")  # fmt: skip
        log = answer.get("value")
        fine = isinstance(log, list) and len(log) == len(calls)
        expect.that(fine, "compile_log must return one entry for each call.", log)
        for entry in log:
            expect.keys(entry, ["action", "reason"], what="an entry of the log")
        logs.append(([entry["action"] for entry in log], [entry["reason"] for entry in log]))
    return logs


_WORDS = {"C": "compile", "h": "hit", "e": "eager"}


def _hold(student, expect, cases):
    """Hold compile_log against ``(calls, named, letters, words)`` each."""
    logs = _logs(student, expect, [(calls, named) for calls, named, _, _ in cases])
    for (actions, _), (_, _, letters, words) in zip(logs, cases, strict=True):
        expect.equal(actions, [_WORDS[letter] for letter in letters], what=f"actions for {words}")


def _sizes_that_change(student, draw, expect):
    """The second size makes a symbol; before that a size is a constant, and 0 and 1 stay so."""
    a, b, c, d = draw.shuffled(range(2, 30))[:4]
    both = [[_array([n, m])] for n, m in ((a, b), (c, b), (d, b), (d, a), (b, c), (c, d))]
    _hold(student, expect, [
        (_sizes(a, a, a), {}, "Chh", "one size"),
        (_sizes(a, a, b, c, d, a), {}, "ChChhh", "a second size"),
        (_sizes(a, b, 1, c, 0, 1, 0, d), {}, "CCChChhh", "0 and 1 in between"),
        (_sizes(1, a, b, 1, 0), {}, "CChhC", "1 at first"),
        (_sizes(0, 1, a, b), {}, "CCCh", "0 and 1 before all others"),
        (both, {}, "CChChh", "one size that changes, and then the other"),
        ([], {}, "", "no call"),
        (_sizes(a, b, c), {"dynamic": None, "limit": 8}, "CCh", "the defaults, written down"),
    ])  # fmt: skip


@check("8.8.c", row="fault_repair", level="pass")
def test_static_and_dynamic(student, draw, expect):
    """Without symbols each size compiles; with symbols from the start one graph serves most."""
    a, b, c, d = draw.shuffled(range(2, 30))[:4]
    shapes = [[_array(shape)] for shape in ([a, a], [b, b], [b, c], [c, c], [a, d], [1, 1], [1, a])]
    numbers = [[_array([a]), n] for n in (a, b, 0, 1)]
    pairs = [[_array([n]), _array([m])] for n, m in ((a, a), (b, b), (c, d))]
    # another size was only ever a hit: at the second compile nothing has changed, and it is shared
    hits = (([a, a], "float32"), ([b, b], "float32"), ([a, a], "float64"), ([c, d], "float64"))
    shared = [[_array(*shape)] for shape in hits]
    _hold(student, expect, [
        (_sizes(a, b, c, b, a, d), {"dynamic": False}, "CCChhC", "dynamic=False"),
        (_sizes(a, b, 1, c, 1, 0), {"dynamic": True}, "ChChhC", "dynamic=True"),
        (shapes, {"dynamic": True}, "ChChhCC", "squares and others with dynamic=True"),
        (numbers, {"dynamic": True}, "Chhh", "numbers with dynamic=True"),
        ([[x, n / 2] for x, n in numbers], {"dynamic": True}, "Chhh", "floats with dynamic=True"),
        ([[x, flag] for x, _ in numbers[:2] for flag in (True, False)], {"dynamic": True}, "CChh",
         "bools with dynamic=True"),
        (pairs, {"dynamic": True}, "ChC", "two arrays of one size with dynamic=True"),
        (shared, {"dynamic": True}, "ChCC", "squares that changed in a hit alone, dynamic=True"),
        (numbers, {"dynamic": False}, "CCCC", "numbers with dynamic=False"),
    ])  # fmt: skip


def _numbers_and_constants(student, draw, expect):
    """Ints and floats are promoted like sizes, 0 and 1 included; bools, text and None are not."""
    x, (a, b, c) = _array([5]), draw.shuffled(range(2, 30))[:3]
    _hold(student, expect, [
        ([[x, n] for n in (a, b, c, 0, 1, a)], {}, "CChhhh", "ints"),
        ([[x, n] for n in (1, 0, a, b)], {}, "CChh", "ints from 1 on"),
        ([[x, n / 2] for n in (a, b, c, 1, a)], {}, "CChhh", "floats"),
        ([[x, n] for n in (True, False, True, False)], {}, "CChh", "bools"),
        ([[x, n] for n in ("a", "b", "c", "a")], {}, "CCCh", "texts"),
        ([[x, n] for n in (None, a, None, b, c)], {}, "CChCh", "None and ints"),
        ([[_array([5], kind)] for kind in ("float32", "float64", "float32")], {}, "CCh", "dtypes"),
        ([[_array([n], kind)] for n in (a, b, c) for kind in ("float32", "float64")], {},
         "CCCChh", "two dtypes in turn, of sizes that change"),
    ])  # fmt: skip


@check("8.8.c", row="fault_repair", level="pass")
def test_a_full_cache(student, draw, expect):
    """A full cache compiles no more: what no entry fits runs eagerly, what one fits is a hit."""
    limit = draw.integer(2, 6)
    sizes = draw.shuffled(range(2, 30))[: limit + 3]
    again = [sizes[0], sizes[-1], sizes[limit - 1], sizes[limit]]
    _hold(student, expect, [
        (_sizes(*sizes, *again), {"dynamic": False, "limit": limit},
         "C" * limit + "eee" + "hehe", f"a limit of {limit}"),
        (_sizes(*range(2, 14)), {"dynamic": False}, "C" * 8 + "eeee", "the default limit"),
        (_sizes(5, 6, 5, 1), {"limit": 1}, "Cehe", "a limit of 1"),
        (_sizes(5, 5, 5, 6, 7), {"dynamic": False, "limit": 2}, "ChhCe", "hits, then a limit of 2"),
        (_sizes(5, 6, 7, 1, 0), {"limit": 2}, "CChee", "a limit of 2 with symbols"),
    ])  # fmt: skip
    for limit in (0, -1):
        [answer] = student.run(
            "logged", {"cases": [{"calls": _sizes(3), "named": {"limit": limit}}]}
        )
        raised = answer.get("raised")
        fine = isinstance(raised, list) and "ValueError" in raised
        expect.that(fine, f"compile_log must raise ValueError for a limit of {limit}.",
                    raised[0] if isinstance(raised, list) else answer.get("value"))  # fmt: skip


@check("8.8.c", row="fault_repair", level="pass")
def test_why_it_was_compiled(student, draw, expect):
    """The reason is the guard of the newest entry that failed; a hit and a first call have none."""
    a, b, c, d = draw.shuffled(range(2, 30))[:4]
    static = _miss(0, "size", 0, b, c)
    cases = [
        (_sizes(a, a, b, c), {}, [None, None, _miss(0, "size", 0, a, b), None]),
        (_sizes(a, b, 1), {}, [None, _miss(0, "size", 0, a, b), _miss(0, "zero_one", 0, 2, 1)]),
        (_sizes(a, b, c), {"dynamic": False, "limit": 2},
         [None, _miss(0, "size", 0, a, b), static]),
        ([[_array([a]), c], [_array([a], "float64"), c], [_array([b]), d]], {},
         [None, _miss(0, "dtype", None, "float32", "float64"),
          _miss(0, "dtype", None, "float64", "float32")]),
        ([[_array([a, a])], [_array([b, c])]], {"dynamic": True},
         [None, _miss(0, "shared", 1, b, c)]),
    ]  # fmt: skip
    logs = _logs(student, expect, [(calls, named) for calls, named, _ in cases])
    for (_, reasons), (_, _, want) in zip(logs, cases, strict=True):
        expect.equal(reasons, want, what="the reasons")


@check("8.8.c", row="fault_repair", level="strong")
def test_what_torch_does(student, reference, draw, expect):
    """For calls drawn just now the log is what torch.compile does at each of them."""
    cases = []
    for dynamic in (None, None, False, True):
        pool = [0, 1, *draw.shuffled(range(2, 9))[:4]]
        many = draw.integer(0, 1)
        calls = [
            [_array([draw.choice(pool[1:]), draw.choice(pool) if many else 3]),
             draw.choice([2, 3, 5]) if many else None]
            for _ in range(9)
        ]  # fmt: skip
        cases.append((calls, {"dynamic": dynamic}))
    # equal sizes after they changed: no symbol is shared then
    a, b, c, d, e, f = draw.shuffled(range(2, 30))[:6]
    shapes = (([a, a], "float32"), ([b, c], "float32"), ([d, d], "float64"), ([e, f], "float64"))
    cases.append(([[_array(*shape), None] for shape in shapes], {"dynamic": True}))
    asked = {"cases": [{"calls": calls, "named": named} for calls, named in cases]}
    true = reference.run("torch_logs", asked, stage="torch")
    logs = _logs(student, expect, cases)
    for (actions, _), want, (_, named) in zip(logs, true, cases, strict=True):
        expect.equal(actions, want, what=f"what torch.compile did with dynamic={named['dynamic']}")


@check("8.8.c", row="fault_repair", level="pass")
def test_a_second_value_becomes_a_symbol(student, draw, expect):
    """The second size or number makes a symbol; sizes of 0 and 1, bools and texts stay fixed."""
    _sizes_that_change(student, draw, expect)
    _numbers_and_constants(student, draw, expect)
