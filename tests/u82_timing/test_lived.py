"""The scheduler that lives every microsecond against hand counts and a second library's order."""

from __future__ import annotations

import pytest

from exercises.u82_timing.hidden.lived import (
    OneStream,
    between_marks,
    lived,
    op_of,
    random_program,
    told,
    wait_of,
)
from grader.checks.draw import Draw
from grader.instruments.simulated_streams import SimulatedStreams


def test_three_kernels_behind_older_work_as_counted_by_hand() -> None:
    old, kernels = (
        [op_of("old", device=500)],
        [op_of(f"k{i}", launch=5, device=100) for i in range(3)],
    )
    naive = lived([*old, *kernels])["host"] - lived(old)["host"]
    end_only = lived([*old, *kernels, wait_of()])["host"]
    start = [*old, wait_of("first")]
    honest = lived([*start, *kernels, wait_of()])["host"] - lived(start)["host"]
    assert (naive, end_only, honest) == (15, 801, 306)


def test_a_small_program_moment_by_moment() -> None:
    ops = [
        op_of("copy", "side", 2, 9),
        op_of("use", "main", 3, 4, after=["copy"]),
        op_of("read", None, 1, waits=["copy"]),
    ]
    run = lived(ops, sync=2)
    assert run["ops"] == {
        "copy": {"called": 0, "returned": 2, "start": 2, "end": 11},
        "use": {"called": 2, "returned": 5, "start": 11, "end": 15},
        "read": {"called": 5, "returned": 13, "start": None, "end": None},
    }
    assert (run["host"], run["device"], run["total"]) == (13, 15, 15)


def test_no_program_takes_no_time() -> None:
    assert lived([]) == {"ops": {}, "host": 0, "device": 0, "total": 0}


def test_random_programs_end_as_they_do_on_simulated_streams() -> None:
    draw = Draw("seed", "lived")
    for _ in range(60):
        ops = random_program(draw, draw.integer(1, 12))
        sync = draw.integer(0, 3)
        device = SimulatedStreams(launch=0, sync=sync)
        streams = {name: device.stream() for name in ("main", "side", "copy")}
        marks = {}
        for one in ops:
            device.host += one["launch"]
            if one["stream"] is not None:
                stream = streams[one["stream"]]
                for other in one.get("after", []):
                    stream.wait_event(marks[other])
                with device.on(stream):
                    device.work(one["device"])
                marks[one["name"]] = stream.record_event()
            waits = one.get("waits", [])
            names = list(marks) if waits == "all" else waits
            if len(waits):
                device.wait_for(max((marks[name].time for name in names), default=0), {})
        run = lived(ops, sync)
        assert run["host"] == device.host, told(ops)
        assert run["device"] == max(stream.free_at for stream in streams.values()), told(ops)


KERNELS = [op_of(f"k{i}", launch=5, device=50) for i in range(3)]
OLD, PAUSE = op_of("old", launch=2, device=400), op_of("pause", None, 1000)


@pytest.mark.parametrize(
    ("before", "region", "printed"),
    [
        ([OLD], KERNELS, 150),
        ([], KERNELS, 5 + 150),
        ([{**OLD, "stream": "side"}], KERNELS, 5 + 150),
        ([{**OLD, "stream": "side"}], [{**KERNELS[0], "after": ["old"]}, KERNELS[1]], 400 + 100),
        ([OLD, PAUSE], KERNELS, 5 + 150),
        ([], [KERNELS[0], PAUSE, KERNELS[1]], 5 + 1000 + 5 + 50),
        ([], [*KERNELS, PAUSE], 15 + 1000),
        ([], [KERNELS[0], wait_of(), KERNELS[1]], 5 + 50 + 9 + 5 + 50),
    ],
)
def test_two_marks_are_as_far_apart_as_counted_by_hand(
    before: list[dict[str, object]], region: list[dict[str, object]], printed: int
) -> None:
    assert between_marks(before, region, sync=9) == printed


def test_two_numbers_are_a_program_of_one_stream() -> None:
    stream = OneStream({"launch": 5, "sync": 1, "old": 500})
    stream.work(100, 100, 100)
    assert (stream.host, stream.mark()) == (15, 800)
    stream.wait()
    assert stream.host == 801


def test_a_long_program_is_cut_in_a_sentence() -> None:
    text = told([op_of(f"k{i}", launch=1, device=2, after=["k0"] if i else []) for i in range(9)])
    assert text.startswith("k0 on main 1+2; k1 on main 1+2, after ['k0']")
    assert text.endswith("…")
