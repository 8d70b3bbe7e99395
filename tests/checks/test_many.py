from __future__ import annotations

import math
import statistics

import pytest

from grader.checks.expect import Expect
from grader.checks.many import answers_of, column, exact, refusals, refused, told, values_of
from grader.checks.numbers import (
    bootstrap_interval_of_the_median,
    is_count,
    is_finite,
    is_number,
    quantile,
)
from grader.checks.outcomes import Unmet


class Student:
    """Answers each call with what it was given."""

    def __init__(self, answers):
        self.answers = answers

    def run(self, probe, case, limits=None):
        assert probe == "calls"
        return self.answers


def fine(value):
    return {"value": value, "kept": True}


def raised(*kinds):
    return {"raised": list(kinds), "message": "no", "kept": True}


CALLS = [((1,), {}), ((2,), {"b": 3})]


def test_values_come_with_their_calls_in_words():
    found = values_of(Student([fine(5), fine([6])]), Expect(), "f", CALLS)
    assert found == [("f(1)", 5), ("f(2, b=3)", [6])]
    assert told("f", ["x" * 500], {}).endswith("…)")


@pytest.mark.parametrize(
    "answers",
    [None, [], [fine(5)], [fine(5), None], [fine(5), {"kept": True}], [fine(5), raised("X")],
     [fine(5), {"value": 1, "kept": False}], [fine(5), {"raised": 3, "kept": True}]],
)  # fmt: skip
def test_whatever_is_no_answer_to_each_call_is_unmet(answers):
    with pytest.raises(Unmet):
        values_of(Student(answers), Expect(), "f", CALLS)


def test_a_refusal_is_the_error_or_a_subclass_of_it():
    cases = [("if one", (1,), {}), ("if two", (2,), {"b": 3})]
    both = Student([raised("Mine", "ValueError"), raised("ValueError")])
    refusals(both, Expect(), "f", cases)
    assert len(answers_of(both, Expect(), "f", CALLS)) == 2
    with pytest.raises(Unmet, match="must raise ValueError if two"):
        refusals(Student([raised("ValueError"), fine(1)]), Expect(), "f", cases)
    refused(Student([raised("KeyError")]), Expect(), "if", "f", 1, error="KeyError")


def test_a_column_is_looked_at_before_it_is_taken():
    assert column(Expect(), {"a": {"x": 1}}, ["a"], "x", "rows") == {"a": 1}
    for table in (None, {}, {"a": None}, {"a": {}}):
        with pytest.raises(Unmet):
            column(Expect(), table, ["a"], "x", "rows")


def test_exact_refuses_a_rounded_number():
    big = 3 * 10**20 + 1
    exact(Expect(), {"n": big}, {"n": big}, "f(1)")
    exact(Expect(), {"n": 4.0}, {"n": 4}, "f(1)")
    with pytest.raises(Unmet, match="rounded"):
        exact(Expect(), {"n": float(big)}, {"n": big}, "f(1)")


def test_kinds_of_numbers():
    assert [is_number(x) for x in (1, 1.5, True, "1", 1j)] == [True, True, False, False, False]
    assert [is_finite(x) for x in (1, math.nan, math.inf, 10**400)] == [True, False, False, False]
    assert [is_count(x) for x in (1, 1.0, True)] == [True, False, False]


def test_quantiles_are_those_of_the_standard_library():
    values = [3.0, 1.0, 7.0, 2.0, 9.0]
    assert quantile(values, 0.5) == statistics.median(values)
    assert [quantile(values, q) for q in (0.25, 0.75)] == statistics.quantiles(
        values, n=4, method="inclusive"
    )[::2]


def test_the_interval_of_a_median_holds_what_drawing_gives():
    import numpy as np

    values = [float(i) for i in range(61)]
    low, high = bootstrap_interval_of_the_median(values, 0.99)
    drawn = np.random.default_rng(0).integers(0, 61, (40_000, 61))
    medians = np.median(np.array(values)[drawn], axis=1)
    theirs = np.percentile(medians, [0.5, 99.5])
    assert np.abs(theirs - [low, high]).max() <= 1
    assert bootstrap_interval_of_the_median([1.0, 2.0, 3.0], 0.99) == (1.0, 3.0)


def test_integers_beyond_floats_are_shown_and_compared():
    from grader.checks.compare import show

    assert show(10**400) == "1.000000e+400"
    with pytest.raises(Unmet):
        Expect().between(10**400, 0, 1)
    with pytest.raises(Unmet):
        Expect().between(math.nan, 0, 1)
