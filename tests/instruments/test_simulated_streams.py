"""The simulated streams against hand counts, closed forms and a model of three numbers."""

from __future__ import annotations

import random

import pytest
import torch

from grader.instruments.simulated_streams import (
    USED_EARLY,
    WRITTEN_EARLY,
    SimulatedStreams,
    answers_known_question,
)


def device(**costs: int) -> SimulatedStreams:
    return SimulatedStreams(**{"launch": 0, "sync": 0, "link": 1, **costs})


def test_it_answers_its_known_question() -> None:
    assert answers_known_question()


def test_three_kernels_behind_older_work_take_what_the_hand_count_says() -> None:
    printed = {}
    for start, end in ((False, False), (False, True), (True, True)):
        streams = SimulatedStreams(launch=5, sync=1)
        streams.work(500, launch=0)
        if start:
            streams.synchronize()
        begin = streams.now()
        for _ in range(3):
            streams.work(100)
        if end:
            streams.synchronize()
        printed[start, end] = round(1e6 * (streams.now() - begin))
    assert list(printed.values()) == [15, 801, 306]


def test_two_streams_overlap_as_the_closed_form_says() -> None:
    streams = device()
    copies, computes = streams.stream(), streams.current_stream()
    for _ in range(4):
        with streams.on(copies):
            streams.work(4)
        computes.wait_stream(copies)
        streams.work(10)
    streams.synchronize()
    assert streams.host == 4 + 4 * 10


def test_random_programs_end_when_two_numbers_moved_by_hand_say() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        streams = device(launch=2, sync=1)
        queues = [streams.current_stream(), streams.stream()]
        clock = 0
        ends = [0, 0]
        for _ in range(12):
            which, kind = rng.randrange(2), rng.choice(["work", "cross", "sync"])
            with streams.on(queues[which]):
                if kind == "work":
                    length = rng.randint(1, 9)
                    streams.work(length)
                    clock += 2
                    ends[which] = max(ends[which], clock) + length
                elif kind == "cross":
                    queues[which].wait_stream(queues[1 - which])
                    ends[which] = max(ends[which], ends[1 - which], clock)
                else:
                    streams.synchronize()
                    clock = max(clock, *ends) + 1
        assert streams.host == clock


def test_an_event_is_read_only_when_the_device_has_reached_it() -> None:
    streams = device(launch=3)
    begin, end = streams.event(), streams.event()
    with pytest.raises(RuntimeError, match="recorded"):
        begin.elapsed_time(end)
    begin.record()
    streams.work(2000)
    end.record()
    with pytest.raises(RuntimeError, match="synchronize"):
        begin.elapsed_time(end)
    end.synchronize()
    assert begin.elapsed_time(end) == pytest.approx(2.003)


def test_a_clock_with_steps_shows_whole_steps() -> None:
    streams = device(tick=100)
    streams.work(250)
    streams.synchronize()
    assert streams.now() == pytest.approx(200e-6)
    assert streams.resolution == pytest.approx(100e-6)


def test_work_that_waits_for_its_upload_is_no_hazard_and_luck_is_one() -> None:
    for waits in (True, False):
        streams = device()
        side = streams.stream()
        with streams.on(side):
            tensor = streams.upload(torch.zeros(2))
        streams.work(10_000)  # by the clock the upload is long over
        if waits:
            streams.current_stream().wait_stream(side)
        streams.work(1, [tensor])
        assert streams.hazards == ([] if waits else [USED_EARLY])


def upload_again(streams: SimulatedStreams, side: object, how: str) -> None:
    with streams.on(side):  # type: ignore[arg-type]
        tensor = streams.upload(torch.zeros(4))
    streams.current_stream().wait_stream(side)  # type: ignore[arg-type]
    streams.work(50, [tensor])
    if how == "record":
        streams.record_stream(tensor, streams.current_stream())
    if how == "record the owner":
        streams.record_stream(tensor, side)  # type: ignore[arg-type]
    if how == "wait":
        side.wait_stream(streams.current_stream())  # type: ignore[attr-defined]
    if how == "host":
        streams.synchronize()
    kept = tensor if how == "keep" else None
    del tensor
    with streams.on(side):  # type: ignore[arg-type]
        streams.upload(torch.zeros(4))
    del kept


@pytest.mark.parametrize("how", ["record", "wait", "host", "keep"])
def test_memory_is_safe_by_each_of_four_ways(how: str) -> None:
    streams = device()
    upload_again(streams, streams.stream(), how)
    assert streams.hazards == []


@pytest.mark.parametrize("how", ["nothing", "record the owner"])
def test_memory_that_nobody_was_told_about_is_written_early(how: str) -> None:
    streams = device()
    upload_again(streams, streams.stream(), how)
    assert streams.hazards == [WRITTEN_EARLY]
