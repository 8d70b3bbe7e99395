"""Every answer in the key of the self-test of 8.2 comes out of an experiment that runs here."""

from __future__ import annotations

import contextlib
import io
import statistics
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.instruments.host_syncs import HostSyncs, count_host_syncs
from grader.instruments.simulated_device import SimulatedDevice
from grader.instruments.simulated_streams import WRITTEN_EARLY, SimulatedStreams
from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u82_timing" / "selftest.toml"


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def kernel(name: str, launch: float, device: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "stream": "main", "launch": launch, "device": device, **more}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(proved)


def test_q1_one_of_five_calls_does_not_wait(key: dict[str, Any]) -> None:
    t, one = torch.arange(4.0), torch.tensor(1.0)
    calls: dict[str, Callable[[], Any]] = {
        "t.sum()": t.sum,
        "if t > 0: ...": lambda: 1 if one > 0 else 0,
        "t[mask]": lambda: t[t > 0],
        "print(t)": lambda: print(t),
        "t.cpu()": t.cpu,
    }
    with contextlib.redirect_stdout(io.StringIO()):
        quiet = [text for text, call in calls.items() if count_host_syncs(call) == 0]
    assert quiet == [key["q1"]]


def test_q2_a_wait_after_every_kernel_stops_the_launches(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    loop = [kernel(f"k{i}", 5, 6) for i in range(9)]
    waiting = [{**op, "waits": "all"} for op in loop]
    free, slow = (stage.simulate(ops, 0)["ops"] for ops in (loop, waiting))

    def launched_while_working(run: dict[str, Any]) -> int:
        ends = [row["end"] for row in run.values()]
        calls = [row["called"] for row in run.values()]
        return sum(call < end for call, end in zip(calls[1:], ends, strict=False))

    assert (launched_while_working(free), launched_while_working(slow)) == (8, 0)
    lengths = [[row["end"] - row["start"] for row in run.values()] for run in (free, slow)]
    assert lengths[0] == lengths[1]
    assert key["q2"] == "launches no longer overlap with the work"


def test_q3_the_benchmark_timer_uses_one_thread(key: dict[str, Any]) -> None:
    from torch.utils.benchmark import Timer

    seen: list[int] = []
    timer = Timer("seen.append(torch.get_num_threads())", globals={"seen": seen, "torch": torch})
    timer.timeit(2)
    assert set(seen) == {key["q3"]}


def test_q4_launches_are_printed_without_a_sync(stage: ModuleType, key: dict[str, Any]) -> None:
    region = [kernel(f"k{i}", 4, 40) for i in range(5)]
    assert stage.measured([], region, "naive", 0) * 1e-6 == pytest.approx(key["q4"])


def test_q5_older_work_is_printed_with_an_end_sync_alone(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    region = [kernel(f"k{i}", 4, 40) for i in range(5)]
    old = [kernel("old", 0, 220)]
    assert stage.measured(old, region, "end_only", 0) * 1e-6 == pytest.approx(key["q5"])
    device = SimulatedStreams(launch=4, sync=0)
    device.work(220, launch=0)
    begin = device.now()
    for _ in range(5):
        device.work(40)
    device.synchronize()
    assert device.now() - begin == pytest.approx(key["q5"])


def test_q6_a_copy_into_a_list_index_never_reaches_the_buffer(key: dict[str, Any]) -> None:
    sums = []
    for rows in ([0, 1], slice(0, 2)):
        buffer = torch.zeros(4, 3)
        buffer[rows, :].copy_(torch.ones(2, 3))
        sums.append(buffer.sum().item())
    assert sums == [float(key["q6"]), 6.0]


def test_q7_overlap_hides_the_smaller_of_the_two(stage: ModuleType, key: dict[str, Any]) -> None:
    def total(waits: bool, steps: int = 4000) -> float:
        ops = [kernel(f"s{i}", 3000, 5000, waits=[f"s{i}"] if waits else []) for i in range(steps)]
        return float(stage.simulate(ops, 0)["total"])

    assert total(True) / total(False) == pytest.approx(key["q7"], rel=1e-3)


def test_q8_ten_batches_with_a_second_buffer(stage: ModuleType, key: dict[str, Any]) -> None:
    assert stage.overlap_makespan(10, 0.030, 0.150, 2)["overlapped"] == pytest.approx(key["q8"])


def test_q9_nothing_orders_the_upload_and_the_refill(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    upload = {"name": "upload", "stream": "copy", "reads": ["pinned"], "writes": ["x"]}
    refill = {"name": "refill", "stream": None, "writes": ["pinned"]}
    assert stage.races([upload, refill]) == [["upload", "refill"]]
    wait = {"name": "wait", "stream": None, "waits": ["upload"]}
    assert stage.races([upload, wait, refill]) == []
    assert key["q9"] == "either, since nothing orders the two"


def test_q10_record_stream_keeps_memory_from_the_next_upload(key: dict[str, Any]) -> None:
    for recorded in (True, False):
        device = SimulatedStreams(launch=0, sync=0, link=1)
        side = device.stream()
        with device.on(side):
            batch = device.upload(torch.zeros(4))
        device.current_stream().wait_stream(side)
        device.work(100, [batch])
        if recorded:
            device.record_stream(batch, device.current_stream())
        del batch
        with device.on(side):
            device.upload(torch.zeros(4))
        assert device.hazards == ([] if recorded else [WRITTEN_EARLY])
    assert "not used again" in key["q10"]


def test_q11_events_give_milliseconds(torch_stage: ModuleType, key: dict[str, Any]) -> None:
    device = SimulatedStreams(launch=0, sync=0)
    begin, end = device.event(), device.event()
    begin.record()
    device.work(2500)
    end.record()
    device.synchronize()
    assert begin.elapsed_time(end) == pytest.approx(key["q11"])
    documented = torch.cuda.Event.elapsed_time.__doc__ or ""
    assert "milliseconds" in documented
    begin, end = torch_stage.CpuEvent(), torch_stage.CpuEvent()
    begin.time, end.time = 1.0, 1.0025
    assert begin.elapsed_time(end) == pytest.approx(key["q11"])


def test_q12_the_median_of_one_bad_sample(stage: ModuleType, key: dict[str, Any]) -> None:
    samples = [0.010] * 20 + [1.0]
    assert stage.summarize(samples)["median"] == pytest.approx(key["q12"])
    assert statistics.fmean(samples) == pytest.approx(0.057, rel=0.01)


def test_q13_calls_in_a_sample_on_a_coarse_clock(
    torch_stage: ModuleType, key: dict[str, Any]
) -> None:
    device = SimulatedStreams(launch=0, sync=0, tick=10_000)
    result = torch_stage.time_callable(lambda: device.work(3000), device, repeats=3)
    assert result["calls"] == key["q13"]
    enough = next(n for n in (2**power for power in count()) if n * 3 >= 100 * 10)
    assert enough == key["q13"]


def test_q14_adamw_reads_a_counter_for_each_parameter(key: dict[str, Any]) -> None:
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
    optimizer = torch.optim.AdamW(weights, foreach=False)
    for _ in range(2):
        for weight in weights:
            weight.grad = torch.ones(2)
        syncs = HostSyncs()
        with syncs:
            optimizer.step()
        assert syncs.count == key["q14"]
        assert {sync.name for sync in syncs.seen} == {"item"}


def test_q15_the_read_of_the_loss_pays_for_the_step(
    torch_stage: ModuleType, key: dict[str, Any]
) -> None:
    device = SimulatedDevice()
    model = torch.nn.Linear(200, 300)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    device.adopt(model)
    kept: dict[str, Any] = {}
    with device:
        x = device.to_device(torch.ones(150, 200), pinned=True, non_blocking=True)
        device.synchronize()
        phases = [
            ("forward", lambda: kept.update(loss=model(x).square().mean())),
            ("backward", lambda: kept["loss"].backward()),  # noqa: PLW0108 - a new loss each time
            ("optimizer", optimizer.step),
            ("the read of the loss", lambda: kept["loss"].item()),  # noqa: PLW0108
        ]
        assert torch_stage.time_phases(phases, device)["blamed"] == key["q15"]
        every = torch_stage.time_phases(phases, device, [name for name, _ in phases[:3]])
    assert every["blamed"] == "backward"


def test_q16_a_sync_after_every_phase_makes_the_step_longer(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    step = [kernel(f"k{i}", 8, 10) for i in range(30)]
    free = stage.measured([], step, "honest", 1)
    waiting = stage.measured([], step, "every_op", 1)
    assert (free, waiting) == (8 + 30 * 10 + 1, 30 * 19)
    assert key["q16"].startswith("the step becomes slower")


def test_q17_a_copy_into_a_selection_by_a_list_does_not_reach_the_buffer(
    key: dict[str, Any],
) -> None:
    ones = torch.ones(2, 3)
    sums = []
    for fill in (
        lambda buffer: buffer[[0, 1], :].copy_(ones, non_blocking=True),
        lambda buffer: buffer[:2].copy_(ones, non_blocking=True),
        lambda buffer: buffer.__setitem__([0, 1], ones),
    ):
        buffer = torch.zeros(4, 3)
        fill(buffer)
        sums.append(buffer.sum().item())
    assert sums == [key["q17"], 6, 6]
