"""Hidden checks of break_even (8.8.d) against totals that are added up."""

from __future__ import annotations

import math

from grader.checks import check
from grader.checks.many import refusals, values_of
from grader.checks.numbers import is_count

MILLION = 1_000_000


def _first(cost, eager, compiled, compiles):
    """Return the first number of calls whose totals say so, by trying them one by one."""
    if cost == MILLION:  # a second is gained by each call
        return MILLION
    for calls in range(1, 20_000):
        if cost * compiles + calls * compiled <= calls * eager:
            return calls
    return math.inf


def _hold(student, expect, cases):
    for (words, got), (arguments, named) in zip(
        values_of(student, expect, "break_even", cases), cases, strict=True
    ):
        cost, eager, compiled = arguments[:3]
        compiles = arguments[3] if len(arguments) > 3 else named.get("compiles", 1)
        want = _first(cost, eager, compiled, compiles)
        expect.equal(got, want, what=words)
        if want != math.inf:
            expect.that(is_count(got), f"{words} must be an int.", got)


@check("8.8.d", row="optimization_validity", level="strong")
def test_the_first_call_that_pays(student, draw, expect):
    """The number of calls is the first whose total with compiling is not the longer one."""
    cases = []
    for _ in range(20):
        gain, compiled = draw.integer(1, 9), draw.integer(0, 40)
        # whole numbers: some multiples of the gain, which must not be rounded past
        cost = draw.choice([gain * draw.integer(1, 60), draw.integer(1, 500)])
        cases.append(((cost, compiled + gain, compiled), {}))
    for compiles in (2, 3, 8):
        cases.append(((draw.integer(1, 99), 9, draw.integer(1, 8)), {"compiles": compiles}))
        cases.append(((draw.integer(1, 99), 9, draw.integer(1, 8), compiles), {}))
    cases.append(((0.5, 0.75, 0.5), {}))
    cases.append(((1, 9, 4), {}))
    cases.append(((MILLION, 9, 8), {}))
    _hold(student, expect, cases)
    _what_never_pays(student, draw, expect)


def _what_never_pays(student, draw, expect):
    """Compiled code that is not faster never pays; what cost nothing pays at the first call."""
    t = draw.integer(2, 9)
    _hold(student, expect, [
        ((t, t, t), {}), ((t, t, t + 1), {}), ((t, 0, 0), {}), ((1e-3, 2e-3, 5e-3), {}),
        ((0, t, t), {}), ((0, t, t + 1), {}), ((0, t + 1, t), {}), ((0, 0, 0), {}),
        ((t, t, t), {"compiles": 0}), ((t, t, t + 1), {"compiles": 0}),
        ((t, t + 1, t), {"compiles": 0}),
    ])  # fmt: skip


@check("8.8.d", row="optimization_validity", level="pass")
def test_no_such_times(student, draw, expect):
    """Negative, infinite and NaN times are refused, whichever of them it is."""
    cases = []
    for place, name in enumerate(("cost", "eager", "compiled", "compiles")):
        for bad in (-1, math.nan, math.inf, -math.inf):
            arguments = [2.0, 3.0, 1.0, 1]
            arguments[place] = bad
            cases.append((f"if {name} is {bad}", tuple(arguments), {}))
    refusals(student, expect, "break_even", draw.shuffled(cases))
