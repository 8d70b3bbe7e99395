"""Records of interleaved runs."""

import json
from collections import Counter

import pytest

from grader.instruments import speedup
from grader.instruments.gain import judge
from grader.instruments.speedup import measure_speedup, pool, record_of
from grader.instruments.stamp import Stamp


def nothing():
    pass


def counting():
    calls = Counter()
    return calls, lambda: calls.update("a"), lambda: calls.update("b")


def test_base_runs_twice_and_variant_once_a_round_with_equal_calls():
    calls, base, variant = counting()
    record = measure_speedup(base, variant, seed=1, rounds=7, warmup=2, calls=3)
    assert calls == {"a": 2 + 7 * 2 * 3, "b": 2 + 7 * 3}
    assert (len(record.rounds), record.calls) == (7, 3)


def test_the_order_is_drawn_from_the_seed_and_kept():
    first, again, other = (
        measure_speedup(nothing, nothing, seed=seed, rounds=60, calls=1) for seed in (5, 5, 6)
    )
    assert first.orders == again.orders != other.orders
    assert {frozenset(order.split()) for order in first.orders} == {frozenset({"A0", "A1", "B"})}
    assert len(set(first.orders)) == 6


def test_the_samples_keep_their_names_whatever_the_order_was():
    def burn(count):
        return lambda: sum(range(count))

    record = measure_speedup(burn(3_000), burn(60_000), seed=0, rounds=30, calls=1)
    assert sum(b[0] > 2 * min(a0[0], a1[0]) for a0, a1, b in record.rounds) >= 27


@pytest.mark.parametrize("cost", [300, 1_000, 20_000, 700_000])
def test_runs_are_made_about_two_milliseconds_long(cost):
    class HandClock:
        """A clock that work moves by hand [ns]."""

        now = 0

        def stamp(self):
            return Stamp(self.now, self.now, 0)

    def work():
        clock.now += cost

    clock = HandClock()
    assert speedup._calls_for(work, clock) * cost == pytest.approx(2_000_000, rel=0.5)


def test_long_calls_are_not_repeated():
    assert measure_speedup(lambda: sum(range(400_000)), nothing, seed=0, rounds=2).calls == 1


def test_the_budget_ends_the_rounds_and_leaves_one_at_least():
    import time

    record = measure_speedup(lambda: time.sleep(0.02), nothing, seed=0, budget=0.1, warmup=0)
    assert 1 <= len(record.rounds) < 10
    none_left = measure_speedup(nothing, nothing, seed=0, budget=0.0, calls=1)
    assert len(none_left.rounds) == 1


def test_a_record_survives_json_with_its_verdict():
    record = measure_speedup(nothing, nothing, seed=3, rounds=25, calls=50)
    copy = record_of(json.loads(json.dumps(record.as_data())))
    assert copy == record
    assert judge(copy) == judge(record)


def test_pooling_keeps_every_round_and_seed():
    one, two = (measure_speedup(nothing, nothing, seed=s, rounds=4, calls=2) for s in (1, 2))
    both = pool([one, two])
    assert both.rounds == one.rounds + two.rounds
    assert both.seeds == (1, 2)


def test_records_with_other_runs_are_not_pooled():
    one, two = (measure_speedup(nothing, nothing, seed=1, rounds=1, calls=c) for c in (2, 3))
    with pytest.raises(ValueError, match="same calls"):
        pool([one, two])


@pytest.mark.parametrize(
    "data",
    [
        {},
        {
            "rounds": [[[1, 1, 1], [1, 1, 1]]],
            "orders": [],
            "calls": 1,
            "seeds": [],
            "clock": "",
            "environments": [],
        },
    ],
)
def test_data_that_is_no_record_is_refused(data):
    with pytest.raises(ValueError, match=r"record|three runs"):
        record_of(data)


def test_it_answers_its_known_question_and_notices_skipped_runs(monkeypatch):
    assert speedup.answers_known_question()
    monkeypatch.setattr(speedup, "_run", lambda work, calls, clock: (1, 1, 0))
    assert not speedup.answers_known_question()
