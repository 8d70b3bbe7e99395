"""Hidden checks of unit 8.3, NumPy stage: terms that add up to the gap (8.3.j)."""

from __future__ import annotations

from grader.checks import check
from grader.checks.many import refusals

from .counts import as_any_integers, no_counts, values

MIB = 2**20


@check("8.3.j", row="prediction", level="pass")
def test_terms_add_up_to_the_gap(student, draw, expect):
    """The gap is measured less predicted; its terms and what is unexplained add up to it."""
    base = draw.integer(10**6, 10**7)
    predicted = {"parameters": base, "gradients": base, "optimizer": 2 * base, "rounding": 900}
    measured = {"parameters": base, "gradients": 0, "optimizer": 2 * base + 24, "batch": 66_048}
    live = sum(measured.values()) + draw.integer(100, 999)
    (got,) = values(student, expect, "explain_gap", [[[predicted, measured, live], {}]])
    expect.keys(got, ["gap", "terms", "unexplained"], what="the result")
    terms = {"gradients": -base, "batch": 66_048, "rounding": -900, "optimizer": 24}
    expect.equal(got["gap"], live - 4 * base - 900, what="gap", unit="B")
    expect.equal(got["terms"], terms, what="terms", unit="B")
    rest = live - sum(measured.values())
    expect.equal(got["unexplained"], rest, what="unexplained", unit="B")


@check("8.3.j", row="prediction", level="pass")
def test_largest_term_first_and_units(student, draw, expect):
    """Terms come by falling size, equal ones in their order, and sizes may have units."""
    n = draw.integer(2, 9)
    predicted = {"a": f"{n} MiB", "b": 5, "c": 2000, "d": 7}
    measured = {"e": "1 kB", "c": 1000, "d": 7, "a": f"{n + 1} MiB", "f": 0, "b": -5}
    calls = [[[predicted, measured, f"{n} GB"], {}], [[{}, {}, 0], {}], [[{"x": 4}, {}, 0], {}]]
    found = values(student, expect, "explain_gap", calls)
    for got in found:
        expect.keys(got, ["gap", "terms", "unexplained"], what="the result")
    got = found[0]
    expect.equal(got["terms"], {"a": MIB, "c": -1000, "e": 1000, "b": -10}, what="terms", unit="B")
    expect.equal(list(got["terms"]), ["a", "c", "e", "b"], what="order of the terms")
    expect.equal(got["gap"], n * 10**9 - n * MIB - 2012, what="gap", unit="B")
    want = n * 10**9 - (n + 1) * MIB - 2002
    expect.equal(got["unexplained"], want, what="unexplained", unit="B")
    expect.equal(found[1], {"gap": 0, "terms": {}, "unexplained": 0}, what="nothing at all")
    expect.equal(found[2], {"gap": -4, "terms": {"x": -4}, "unexplained": 0},
                 what="what was predicted and is not there")  # fmt: skip
    # the integers of NumPy that are nearest to their type's end
    call = [{"a": 255, "b": -128}, {"a": -128, "b": 0}, -128], {}
    want = {"gap": -255, "terms": {"a": -383, "b": 128}, "unexplained": 0}
    for words, (got,) in as_any_integers(student, expect, "explain_gap", [call]):
        found = {name: got[name] for name in want}
        expect.equal(found, want, what=f"a gap in {words}", unit="B")
    call = [{"a": 7}, {"a": 7, "b": 3}, 10], {}
    places = {"a predicted size": (0, "a"), "a measured size": (1, "b"), "the size of all": (2,)}
    bad = [case for case in no_counts(call, places) if "-1" not in case[0]]
    bad.append(("for a size without a unit", [{"a": "12"}, {}, 0], {}))
    refusals(student, expect, "explain_gap", bad)
