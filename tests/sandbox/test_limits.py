"""Each limit has its own sentence, and meeting it costs only the worker."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psutil
import pytest

from grader.sandbox.client import Limits
from grader.sandbox.limits import seconds, size

from .conftest import call

MIB = 1 << 20


def test_a_call_that_sleeps_for_ever_is_stopped_by_the_clock(sandbox, run):
    worker = run(sandbox, "import time\ndef f():\n    time.sleep(1e6)", limits=Limits(wall=0.3))
    answer = call(worker, "f")
    assert (answer.status, answer.stop) == (
        "stopped",
        "stopped after 0.3 s: the check's time limit",
    )
    assert call(worker, "f").status == "ended"


def test_a_stage_that_never_finishes_importing_is_stopped_too(best, run):
    worker = run(best, "while True:\n    pass", limits=Limits(wall=0.3))
    assert call(worker, "f").stop == "stopped after 0.3 s: the check's time limit"


def test_a_call_that_shuts_out_signals_is_stopped_all_the_same(best, run):
    text = """
        import signal, time
        def f():
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            while True:
                try:
                    time.sleep(1)
                except BaseException:
                    pass
    """
    assert call(run(best, text), "f", limits=Limits(wall=0.3)).status == "stopped"


def test_processor_time_is_limited_by_itself(sandbox, run):
    worker = run(sandbox, "def f():\n    while True:\n        pass", limits=Limits(cpu=0.3))
    answer = call(worker, "f")
    assert answer.stop == "stopped: used more than 0.3 s of processor time"
    assert answer.cpu > 0.25


def test_the_kernel_stops_what_the_driver_does_not_see_in_time(best, run, monkeypatch):
    from grader.sandbox import watch

    worker = run(best, "def f():\n    while True:\n        pass", limits=Limits(cpu=0.4))
    monkeypatch.setattr(watch.Watch, "_look_closely", lambda _: None)
    assert call(worker, "f").stop == "stopped: used more than 0.4 s of processor time"


@pytest.mark.parametrize(
    "text",
    [
        "held = [np.ones(4 << 20) for _ in range(10_000)]",
        "np.ones(1 << 40)",
        "m = mmap.mmap(-1, 400 << 20); m.write(bytes(400 << 20)); time.sleep(20)",
    ],
    ids=["piece by piece", "at once", "shared"],
)
def test_memory_without_end_is_stopped(sandbox, run, text):
    text = f"import mmap, time\nimport numpy as np\ndef f():\n    {text}"
    answer = call(run(sandbox, text, limits=Limits(memory=200 * MIB, wall=15)), "f")
    assert (answer.status, answer.stop) == ("stopped", "stopped: used more than 200 MiB of memory")


def test_where_memory_ran_out_is_told_when_python_noticed(best, run):
    text = "import numpy as np\ndef f():\n    return np.ones(1 << 40)"
    worker = run(best, text)
    answer = call(worker, "f")
    assert (answer.error.type, answer.error.stage_line) == ("MemoryError", 3)
    assert call(worker, "f").status == "ended"


def test_memory_within_the_limit_is_given_although_the_libraries_take_more(best, run):
    text = "import numpy as np\ndef f():\n    return float(np.ones(8 << 20).sum())"
    assert call(run(best, text, limits=Limits(memory=100 * MIB)), "f").value == 8 << 20


FORKS = """
    import os, time
    def f(count, hold):
        for _ in range(count):
            if os.fork() == 0:
                if hold:
                    held = bytearray(os.urandom(1 << 20) * 80)
                time.sleep(20)
                os._exit(0)
        time.sleep(5)
"""


def test_a_process_is_refused_in_words_where_the_check_allows_none(sandbox, run):
    answer = call(run(sandbox, FORKS), "f", 1, False)
    assert answer.error.type == "PermissionError"
    assert answer.error.message.endswith("a check may not start another process")
    assert answer.error.source == "if os.fork() == 0:"


def test_more_processes_than_allowed_are_stopped(sandbox, run):
    answer = call(run(sandbox, FORKS, limits=Limits(processes=3)), "f", 4, False)
    assert answer.stop == "stopped: started more processes than the check allows"


def test_as_many_processes_as_allowed_may_run_and_are_gone_afterwards(sandbox, run):
    text = """
        import subprocess, sys
        def f():
            return subprocess.run(["/bin/echo", "hello"], stdout=subprocess.PIPE).stdout
    """
    assert call(run(sandbox, text, limits=Limits(processes=3)), "f").value == b"hello\n"


def test_memory_is_counted_over_all_processes_of_a_check(sandbox, run):
    limits = Limits(processes=4, memory=200 * MIB)
    answer = call(run(sandbox, FORKS, limits=limits), "f", 3, True)
    assert answer.stop == "stopped: used more than 200 MiB of memory"


def test_processor_time_of_children_counts(best, run):
    text = """
        import os, time
        def f():
            if os.fork() == 0:
                while True:
                    pass
            time.sleep(20)
    """
    answer = call(run(best, text, limits=Limits(processes=2, cpu=0.3)), "f")
    assert answer.stop == "stopped: used more than 0.3 s of processor time"


def test_printing_200_mb_is_cut_with_a_note_and_is_no_offence(sandbox, run):
    text = (
        "import sys\ndef f():\n    for _ in range(200):\n        print('x' * 999_999)\n    return 1"
    )
    before = psutil.Process().memory_info().rss
    answer = call(run(sandbox, text, limits=Limits(wall=120)), "f")
    assert (answer.status, answer.value) == ("ok", 1)
    assert answer.output.endswith("[output cut here: the check keeps the first 256 KiB]")
    assert len(answer.output) < 300 << 10
    assert psutil.Process().memory_info().rss - before < 60 * MIB


def test_printing_without_end_is_bounded_by_the_clock(best, run):
    answer = call(
        run(best, "def f():\n    while True:\n        print('x' * 1000)"),
        "f",
        limits=Limits(wall=0.4),
    )
    assert answer.stop == "stopped after 0.4 s: the check's time limit"


def test_one_huge_file_is_an_exception_and_stays_small(sandbox, run, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    text = "def f():\n    with open('big', 'wb') as file:\n        file.write(bytes(9 << 20))"
    limits = Limits(file=4 * MIB)
    answer = call(run(sandbox, text, limits=limits, scratch=scratch), "f")
    assert (answer.error.type, answer.error.message) == ("OSError", "[Errno 27] File too large")
    assert (scratch / "big").stat().st_size <= 4 * MIB


def test_many_files_are_stopped_when_the_folder_is_full(best, run):
    text = """
        import os, time
        def f():
            for i in range(10_000):
                with open(str(i), "wb") as file:
                    file.write(os.urandom(1 << 20))
    """
    answer = call(run(best, text, limits=Limits(file=2 * MIB, wall=15)), "f")
    assert answer.stop == "stopped: wrote more than 16 MiB into its folder"


def test_limits_of_one_call_do_not_outlast_it(best, run):
    worker = run(best, "import numpy as np\ndef f(n):\n    return int(np.ones(n << 17).size)")
    assert call(worker, "f", 150, limits=Limits(memory=300 * MIB)).status == "ok"
    assert call(worker, "f", 300).status == "ok"
    assert call(worker, "f", 600, limits=Limits(memory=100 * MIB)).status == "stopped"


def test_start_up_is_not_charged(best, run):
    answer = call(run(best, "def f():\n    return 1"), "f", limits=Limits(wall=0.2, cpu=0.1))
    assert answer.value == 1
    assert answer.cpu < 0.05


@pytest.mark.parametrize(
    ("value", "text"), [(20.0, "20 s"), (0.5, "0.5 s"), (90, "90 s"), (3600, "3600 s")]
)
def test_times_read_as_a_person_says_them(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2 << 30, "2 GiB"), (256 << 10, "256 KiB"), (3 << 29, "1.5 GiB"), (700, "700 B")],
)
def test_sizes_read_as_a_person_says_them(value, text):
    assert size(value) == text


def test_the_driver_keeps_no_descriptor_of_a_closed_worker(best, run):
    def open_descriptors():
        return len(list(Path("/proc/self/fd").iterdir()))

    with run(best, "def f():\n    return 1") as worker:
        call(worker, "f")
    before = open_descriptors()
    for _ in range(5):
        with run(best, "def f(x):\n    return x") as worker:
            call(worker, "f", np.zeros(3))
    assert open_descriptors() == before
