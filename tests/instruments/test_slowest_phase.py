"""The verdict on synthetic records, where the truth is known."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.instruments import slowest_phase
from grader.instruments.phases import PHASES, PhaseRecord, pool
from grader.instruments.slowest_phase import judge
from grader.instruments.stamp import LESS_DELAY, WALL

MS = 1_000_000


def record(times, *, steps=30, noise=0.0, delay=0, clock=LESS_DELAY, seed=0):
    """Return one block with the given phase times [ms], each step with noise and delay on top."""
    draw = random.Random(seed)
    block = []
    for _ in range(steps):
        step = []
        for time in times:
            own = round(time * MS * (1 + noise * draw.random()))
            waited = round(delay * draw.random() * MS)
            step.append((own + waited, own, waited))
        block.append(tuple(step))
    names = PHASES[: len(times)]
    return PhaseRecord(names, (tuple(block),), clock)


def test_the_slowest_phase_is_accepted_and_a_much_faster_one_rejected():
    verdict = judge(record((1, 0.1, 4, 9, 2)))
    assert (verdict.state, verdict.slowest) == ("judged", "backward")
    assert verdict.on("backward") == "accepted"
    assert verdict.on("forward") == verdict.on("data_wait") == "rejected"
    assert verdict.ratios["forward"] == pytest.approx(4 / 9)


@pytest.mark.parametrize(
    ("ratio", "word"),
    [
        (1.0, "accepted"),
        (0.8, "accepted"),
        (0.79, "inconclusive"),
        (0.51, "inconclusive"),
        (0.5, "rejected"),
        (0.1, "rejected"),
    ],
)
def test_the_bands_of_a_claim(ratio, word):
    assert judge(record((10 * ratio, 10))).on("data_wait") == word


def test_a_name_that_is_no_phase_is_rejected():
    assert judge(record((1, 2))).on("everything") == "rejected"


@given(
    times=st.lists(st.floats(0.1, 10), min_size=2, max_size=5),
    noise=st.floats(0, 0.3),
    seed=st.integers(0, 99),
)
def test_the_order_of_the_steps_does_not_matter_and_a_record_is_judged_alike_twice(
    times, noise, seed
):
    made = record(times, noise=noise, seed=seed)
    steps = list(made.blocks[0])
    random.Random(seed).shuffle(steps)
    assert judge(made) == judge(made) == judge(replace(made, blocks=(tuple(steps),)))


@given(times=st.lists(st.floats(0.5, 10), min_size=2, max_size=5), factor=st.floats(1.0, 3.0))
def test_a_slower_slowest_phase_keeps_its_place_and_takes_no_other_phase_up(times, factor):
    before = judge(record(times))
    index = PHASES.index(before.slowest)
    slower = [time * factor if i == index else time for i, time in enumerate(times)]
    after = judge(record(slower))
    assert after.slowest == before.slowest
    assert set(after.accepts) <= set(before.accepts)
    assert set(after.rejects) >= set(before.rejects)


@given(scale=st.integers(1, 50))
def test_a_slower_machine_does_not_change_the_verdict(scale):
    one, other = judge(record((1, 3, 5))), judge(record((scale, 3 * scale, 5 * scale)))
    assert (one.accepts, one.rejects) == (other.accepts, other.rejects)


@pytest.mark.parametrize("seed", range(20))
def test_delay_on_a_busy_machine_does_not_move_the_verdict(seed):
    verdict = judge(record((8, 1, 3, 2, 1), noise=0.1, delay=40, seed=seed))
    assert verdict.on("data_wait") == "accepted"
    assert verdict.on("forward") == "rejected"


def test_a_few_outliers_do_not_move_the_verdict():
    made = record((1, 10), steps=30)
    spoiled = tuple(
        ((900 * MS, 900 * MS, 0), step[1]) if index < 10 else step
        for index, step in enumerate(made.blocks[0])
    )
    assert judge(replace(made, blocks=(spoiled,))).on("transfer") == "accepted"


def test_blocks_are_pooled_and_none_is_picked():
    near, far = record((9, 10)), record((6, 10), seed=1)
    assert judge(near).on("data_wait") == "accepted"
    assert judge(far).on("data_wait") == "inconclusive"
    both = judge(pool([near, far]))
    assert both.ratios["data_wait"] == pytest.approx(0.75)
    assert both.on("data_wait") == "inconclusive"


def test_blocks_that_name_phases_more_than_twice_apart_are_too_disturbed():
    verdict = judge(pool([record((1, 10)), record((10, 1))]))
    assert verdict.state == verdict.on("transfer") == "too disturbed"
    assert judge(pool([record((8, 10)), record((10, 8))])).state == "judged"


def test_a_thread_that_hardly_ever_ran_is_too_disturbed():
    assert judge(record((1, 2), delay=200)).state == "too disturbed"


def test_a_sleeping_step_is_not_taken_for_a_disturbed_one():
    made = record((50, 1))
    asleep = tuple(((step[0][0], 10_000, 0), step[1]) for step in made.blocks[0])
    assert judge(replace(made, blocks=(asleep,))).on("data_wait") == "accepted"


def test_too_few_steps_and_empty_records_are_not_judged():
    assert judge(record((1, 2), steps=9)).state == "too disturbed"
    assert judge(PhaseRecord(PHASES, (), LESS_DELAY)).state == "too disturbed"
    assert judge(PhaseRecord(PHASES, ((),), LESS_DELAY)).state == "too disturbed"
    assert judge(record((0, 0))).state == "too disturbed"


def test_without_the_delay_the_bands_are_wider_and_the_fast_steps_count():
    assert judge(record((8.5, 10), clock=WALL)).on("data_wait") == "inconclusive"
    assert judge(record((4.5, 10), clock=WALL)).on("data_wait") == "inconclusive"
    assert judge(record((3.9, 10), clock=WALL)).on("data_wait") == "rejected"
    busy = judge(record((8, 1), delay=40, clock=WALL, steps=60))
    assert busy.times["data_wait"] < 16 * MS


def test_it_answers_its_known_question_and_notices_another_median(monkeypatch):
    assert slowest_phase.answers_known_question()
    monkeypatch.setattr(slowest_phase, "median", lambda values: 1)
    assert not slowest_phase.answers_known_question()


def test_quartiles_enclose_the_median_and_leave_the_delay_out():
    steps = tuple(((100 * n + 7, 0, 7), (50, 50, 0)) for n in range(1, 6))
    found = slowest_phase.quartiles(PhaseRecord(("one", "two"), (steps,), LESS_DELAY))
    assert found == {"one": (200, 300, 400), "two": (50, 50, 50)}
    wall = slowest_phase.quartiles(PhaseRecord(("one", "two"), (steps[:3], steps[3:]), WALL))
    assert wall["one"] == (207, 307, 407)


@pytest.mark.parametrize("steps", [(), (((1, 1, 0),),)])
def test_fewer_than_two_steps_have_no_quartiles(steps):
    assert slowest_phase.quartiles(PhaseRecord(("one",), (steps,), LESS_DELAY)) == {}
