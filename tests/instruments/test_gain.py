"""The verdict on speed-ups: synthetic noise of known truth, and one real race."""

import random
import statistics
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.instruments import gain
from grader.instruments.gain import Interval, decide, interval, judge
from grader.instruments.speedup import SpeedupRecord, pool
from grader.instruments.stamp import LESS_DELAY, WALL

BASE = 2_000_000


def record(
    speedup=1.0, *, rounds=100, noise=0.03, seed=0, drift=0.0, control=1.0, clock=LESS_DELAY
):
    """Return rounds of noisy runs; a tenth of them is hit by a disturbance of up to 3x."""
    draw = random.Random(seed)

    def run(time, slower):
        factor = draw.lognormvariate(0, noise)
        if draw.random() < 0.1:
            factor *= 1 + 2 * draw.random()
        own = max(round(time * factor * slower), 1)
        return own, own, 0

    made = []
    for index in range(rounds):
        slower = 1 + drift * index / rounds
        runs = run(BASE, slower), run(BASE * control, slower), run(BASE / speedup, slower)
        made.append(runs)
    orders = ("A0 A1 B",) * rounds
    return SpeedupRecord(tuple(made), orders, 1, (seed,), clock)


@pytest.mark.parametrize("seed", range(60))
def test_null_data_is_never_a_gain_nor_slower(seed):
    assert judge(record(seed=seed)).state in ("null", "inconclusive")


@pytest.mark.parametrize("seed", range(60))
def test_null_data_under_drift_and_heavy_noise_is_never_a_gain(seed):
    verdict = judge(record(seed=seed, noise=0.25, drift=1.0))
    assert verdict.state in ("null", "inconclusive", "void")


def test_a_difference_of_two_means_would_have_called_noise_a_gain():
    records = [record(seed=seed, drift=0.0) for seed in range(60)]

    def naive(made):
        base = statistics.fmean(a0[0] for a0, _, _ in made.rounds)
        return base / statistics.fmean(b[0] for _, _, b in made.rounds) > 1.02

    assert sum(map(naive, records)) >= 5
    assert not any(judge(made).state == "gain" for made in records)


@pytest.mark.parametrize("seed", range(20))
def test_thirty_percent_less_work_is_found_and_its_claim_supported(seed):
    verdict = judge(record(1 / 0.7, seed=seed))
    assert verdict.state == "gain"
    assert verdict.supports(1 / 0.7)
    assert not verdict.supports(2.0)
    assert not verdict.supports(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_a_slower_variant_is_called_slower(seed):
    assert judge(record(0.7, seed=seed)).state == "slower"


def test_heavy_noise_is_called_noise_and_more_rounds_find_the_gain():
    few = judge(record(1.43, noise=0.4, rounds=40))
    assert few.state == "inconclusive"
    assert few.note.startswith("too noisy")
    assert judge(record(1.43, noise=0.3, rounds=400)).state == "gain"


def test_quiet_null_data_is_null():
    assert judge(record(noise=0.01)).state == "null"


def test_a_base_that_differs_from_itself_voids_the_record():
    verdict = judge(record(1.4, control=1.2))
    assert verdict.state == "void"
    assert not verdict.supports(1.4)


def test_few_rounds_decide_nothing():
    assert judge(record(2.0, rounds=19)).state == "inconclusive"
    assert judge(record(2.0, rounds=20)).state == "gain"
    assert judge(SpeedupRecord((), (), 1, (0,), LESS_DELAY)).state == "inconclusive"


@settings(max_examples=30, deadline=None)
@given(speedup=st.floats(0.5, 2.0), seed=st.integers(0, 999), noise=st.floats(0.0, 0.3))
def test_the_same_rounds_in_any_order_give_the_same_verdict(speedup, seed, noise):
    made = record(speedup, seed=seed, noise=noise, rounds=40)
    rounds = list(made.rounds)
    random.Random(seed).shuffle(rounds)
    assert judge(made) == judge(made) == judge(replace(made, rounds=tuple(rounds)))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), factor=st.floats(0.3, 1.0), speedup=st.floats(0.8, 1.5))
def test_a_faster_variant_never_lowers_the_interval(seed, factor, speedup):
    made = record(speedup, seed=seed, rounds=40)
    quicker = replace(
        made,
        rounds=tuple((a0, a1, (round(b[0] * factor), b[1], b[2])) for a0, a1, b in made.rounds),
    )
    before, after = judge(made).speedup, judge(quicker).speedup
    assert after.low >= before.low - 1e-6
    assert after.high >= before.high - 1e-6


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999), speedup=st.floats(0.7, 1.5))
def test_swapping_base_and_variant_turns_the_ratio_over(seed, speedup):
    made = record(speedup, seed=seed, rounds=41)
    swapped = replace(made, rounds=tuple((b, b, a0) for a0, _, b in made.rounds))
    one, other = judge(made).speedup, judge(swapped).speedup
    assert one.middle * other.middle == pytest.approx(1)
    turned = {"gain": "slower", "slower": "gain"}
    if {one.says, other.says} & set(turned):
        assert other.says in (turned.get(one.says), "inconclusive", "null")


def test_time_without_a_cpu_does_not_count():
    made = record(1.4, noise=0.01)
    hit = tuple((a0, a1, (b[0] * 5, b[1], b[0] * 4)) for a0, a1, b in made.rounds)
    assert judge(replace(made, rounds=hit)).state == "gain"
    assert judge(replace(made, rounds=hit, clock=WALL)).state == "slower"


def test_the_interval_holds_the_median_and_shrinks_with_more_rounds():
    few, many = (judge(record(1.2, rounds=n, seed=4)).speedup for n in (30, 400))
    for seen in (few, many):
        assert seen.low <= seen.middle <= seen.high
    assert many.high - many.low < few.high - few.low


def test_the_bootstrap_interval_agrees_with_the_exact_one_of_order_statistics():
    from scipy.stats import binom

    draw = random.Random(1)
    ratios = sorted(draw.lognormvariate(0, 0.1) for _ in range(101))
    rank = int(binom.ppf(0.005, 101, 0.5))
    seen = interval(ratios)
    assert seen.low == pytest.approx(ratios[rank], rel=0.02)
    assert seen.high == pytest.approx(ratios[-1 - rank], rel=0.02)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    misses = 0
    for seed in range(200):
        draw = random.Random(seed)
        seen = interval([draw.lognormvariate(0.1, 0.1) for _ in range(60)])
        misses += not seen.low <= 2.718281828**0.1 <= seen.high
    assert misses <= 8


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (1.021, 1.5, "gain"),
        (1.019, 1.5, "inconclusive"),
        (0.96, 1.04, "null"),
        (0.9, 0.98, "slower"),
        (0.9, 0.981, "inconclusive"),
        (1.021, 1.04, "gain"),
    ],
)
def test_what_an_interval_says(low, high, says):
    assert Interval(low, (low + high) / 2, high).says == says


def test_an_undecided_race_goes_on_and_all_rounds_are_pooled(monkeypatch):
    blocks = []

    def measured(base, variant, *, seed, rounds, **settings):
        blocks.append((seed, rounds))
        return record(1.03, noise=0.25, rounds=rounds, seed=seed)

    monkeypatch.setattr(gain, "measure_speedup", measured)
    made, verdict = decide(lambda: None, lambda: None, seed=7, rounds=30, most_rounds=80)
    assert blocks == [(7, 30), (8, 30), (9, 20)]
    assert len(made.rounds) == verdict.rounds == 80
    assert made == pool([record(1.03, noise=0.25, rounds=n, seed=s) for s, n in blocks])


def test_a_race_ends_when_its_time_is_up(monkeypatch):
    monkeypatch.setattr(
        gain,
        "measure_speedup",
        lambda *a, seed, **k: record(1.03, noise=0.25, rounds=30, seed=seed),
    )
    made, _ = decide(lambda: None, lambda: None, seed=7, rounds=30, budget=0.0)
    assert len(made.rounds) == 30


def test_a_real_race_finds_half_the_work():
    def work(count):
        return lambda: sum(range(count))

    made, verdict = decide(work(40_000), work(20_000), seed=1, rounds=60, budget=5)
    assert verdict.state == "gain"
    assert 1.5 < verdict.speedup.middle < 2.7
    assert judge(made) == verdict


def test_it_answers_its_known_question_and_notices_another_statistic(monkeypatch):
    assert gain.answers_known_question()
    monkeypatch.setattr(gain, "interval", lambda ratios: Interval(1.03, 1.04, 1.05))
    assert not gain.answers_known_question()
