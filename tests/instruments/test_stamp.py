"""The clock against sleeping, computing, and a neighbour that takes the CPU away."""

import os
import subprocess
import sys
import threading
import time

import pytest

from grader.instruments import stamp
from grader.instruments.stamp import LESS_DELAY, WALL, Clock, Stamp


def test_a_sleep_is_wall_time_and_neither_cpu_time_nor_delay():
    with Clock() as clock:
        before = clock.stamp()
        time.sleep(0.05)
        span = clock.stamp().since(before)
    assert span.wall >= 50_000_000
    assert span.cpu < 40_000_000
    assert span.less_delay >= 45_000_000


def test_computing_is_cpu_time():
    with Clock() as clock:
        before = clock.stamp()
        while time.process_time_ns() < before.cpu + 20_000_000:
            pass
        span = clock.stamp().since(before)
    assert span.cpu >= 20_000_000
    assert span.less_delay >= 15_000_000


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_time_without_a_cpu_is_delay_and_taken_out():
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    spin = "print(flush=True)\nwhile True: pass"
    rival = subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE)
    try:
        rival.stdout.readline()
        with Clock() as clock:
            if clock.name != LESS_DELAY:
                pytest.skip("this kernel does not count the run-queue delay")
            before = clock.stamp()
            while time.process_time_ns() < before.cpu + 150_000_000:
                pass
            span = clock.stamp().since(before)
    finally:
        rival.kill()
        rival.communicate()
        os.sched_setaffinity(0, usable)
    assert span.wall > 200_000_000
    assert span.delay > 50_000_000
    assert abs(span.less_delay - span.cpu) < 0.3 * span.cpu


def test_without_the_kernels_counter_the_delay_is_zero_and_the_clock_says_so(monkeypatch):
    monkeypatch.setattr(stamp, "_SCHEDSTAT", "/nowhere/schedstat")
    with Clock() as clock:
        assert clock.name == WALL
        assert clock.stamp().delay == 0


def test_a_counter_that_says_nothing_useful_is_not_used(monkeypatch, tmp_path):
    (tmp_path / "schedstat").write_text("nonsense", encoding="ascii")
    monkeypatch.setattr(stamp, "_SCHEDSTAT", str(tmp_path / "schedstat"))
    with Clock() as clock:
        assert clock.name == WALL


def test_the_delay_is_read_again_while_it_changes(monkeypatch):
    delays = iter([1, 5, 9, 9])
    clock = Clock()
    monkeypatch.setattr(clock, "_delay", lambda: next(delays))
    assert clock.stamp().delay == 9
    assert next(delays, None) is None
    clock.close()


def test_a_delay_that_never_settles_ends_all_the_same(monkeypatch):
    delays = iter(range(100))
    clock = Clock()
    monkeypatch.setattr(clock, "_delay", lambda: next(delays))
    assert clock.stamp().delay <= 10
    clock.close()


def test_each_thread_has_a_clock_of_its_own():
    names = []
    worker = threading.Thread(target=lambda: names.append(Clock().name))
    worker.start()
    worker.join()
    with Clock() as clock:
        assert names == [clock.name]


def test_a_span_is_the_difference_and_never_below_zero():
    span = Stamp(100, 20, 70).since(Stamp(40, 5, 3))
    assert span == Stamp(60, 15, 67)
    assert span.less_delay == 0


def test_replacing_the_clock_functions_later_changes_nothing(monkeypatch):
    monkeypatch.setattr(time, "perf_counter_ns", lambda: 0)
    with Clock() as clock:
        assert clock.stamp().wall != 0


def test_it_answers_its_known_question_and_notices_a_stopped_clock(monkeypatch):
    assert stamp.answers_known_question()
    monkeypatch.setattr(stamp, "_wall", lambda: 0)
    assert not stamp.answers_known_question()
