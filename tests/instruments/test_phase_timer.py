"""Records of phase times."""

import json
import time

import pytest
from compact.trainer import PHASES as TRAINER_PHASES
from compact.trainer import make_trainer

from grader.instruments import phases
from grader.instruments.phases import PHASES, PhaseTimer, measure_phases, pool, record_of
from grader.instruments.slowest_phase import judge
from grader.instruments.stamp import Stamp


def ticking(*moments):
    moments = iter(moments)
    return lambda: Stamp(next(moments), 0, 0)


def walls(record):
    return [[span[0] for span in step] for block in record.blocks for step in block]


def test_the_trainer_and_the_instrument_spell_the_phases_alike():
    assert PHASES == TRAINER_PHASES


def test_a_phase_lasts_from_the_last_mark_to_its_own():
    timer = PhaseTimer(("wait", "work"), stamp=ticking(0, 3, 10, 20, 21, 25))
    for _ in range(2):
        timer.begin()
        timer.mark("wait")
        timer.mark("work")
    assert walls(timer.record()) == [[3, 7], [1, 4]]


def test_time_between_two_steps_belongs_to_no_phase():
    timer = PhaseTimer(("work",), stamp=ticking(0, 1, 100, 101))
    for _ in range(2):
        timer.begin()
        timer.mark("work")
    assert walls(timer.record()) == [[1], [1]]


def test_a_phase_marked_twice_is_added_up_and_a_missing_one_is_zero():
    timer = PhaseTimer(("a", "b", "c"), stamp=ticking(0, 1, 3, 6))
    timer.begin()
    for phase in ("a", "b", "a"):
        timer.mark(phase)
    assert walls(timer.record()) == [[4, 2, 0]]


def test_warmup_steps_are_dropped():
    timer = PhaseTimer(("a",), stamp=ticking(0, 90, 0, 1, 0, 2))
    for _ in range(3):
        timer.begin()
        timer.mark("a")
    timer.drop_warmup(1)
    assert walls(timer.record()) == [[1], [2]]


def test_an_unknown_phase_is_refused():
    timer = PhaseTimer(("a",))
    timer.begin()
    with pytest.raises(ValueError, match="'b' is not one of a"):
        timer.mark("b")


def test_the_device_is_waited_for_before_every_stamp():
    calls = []
    stamps = iter(range(10))

    def stamp():
        calls.append("stamp")
        return Stamp(next(stamps), 0, 0)

    timer = PhaseTimer(("a",), synchronize=lambda: calls.append("wait"), stamp=stamp)
    timer.begin()
    timer.mark("a")
    assert calls == ["wait", "stamp"] * 2


def test_a_record_survives_json_and_pooling_keeps_every_block():
    trainer = make_trainer(batch_size=16)
    stream = trainer.batches.stream()
    first, second = (measure_phases(trainer, stream, warmup=1, steps=3) for _ in range(2))
    assert record_of(json.loads(json.dumps(first.as_data()))) == first
    both = pool([first, second])
    assert both.blocks == first.blocks + second.blocks
    assert [len(block) for block in both.blocks] == [3, 3]
    assert len(both.environments) == 2
    assert trainer.steps == 8


def test_records_of_different_phases_are_not_pooled():
    one, two = (PhaseTimer((name,)).record() for name in ("a", "b"))
    with pytest.raises(ValueError, match="same phases"):
        pool([one, two])
    with pytest.raises(ValueError, match="same phases"):
        pool([])


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"phases": ["a"], "blocks": [[[[1, 2]]]], "clock": "wall", "environments": []},
        {"phases": ["a"], "blocks": [[[]]], "clock": "wall", "environments": []},
        {"phases": ["a"], "blocks": 3, "clock": "wall", "environments": []},
    ],
)
def test_data_that_is_no_record_is_refused(data):
    with pytest.raises(ValueError, match=r"phase|unpack"):
        record_of(data)


def test_a_sleeping_loader_shows_as_data_wait_and_in_no_other_phase():
    trainer = make_trainer(batch_size=16)

    def slow(stream):
        for batch in stream:
            time.sleep(0.03)
            yield batch

    verdict = judge(measure_phases(trainer, slow(trainer.batches.stream()), warmup=2, steps=10))
    assert verdict.on("data_wait") == "accepted"
    assert verdict.times["data_wait"] >= 29_000_000
    assert verdict.on("forward") == "rejected"


def test_it_answers_its_known_question_and_notices_a_forged_timer(monkeypatch):
    assert phases.answers_known_question()
    monkeypatch.setattr(PhaseTimer, "mark", lambda self, phase: None)
    assert not phases.answers_known_question()
