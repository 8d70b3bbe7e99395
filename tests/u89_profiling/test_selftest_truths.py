"""Every answer in the key of the self-test of 8.9 comes out of an experiment that runs here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u89_profiling" / "selftest.toml"
CPU = (ProfilerActivity.CPU,)

pytestmark = pytest.mark.filterwarnings("ignore:.*Profiler clears events:UserWarning")


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(proved)


def test_q1_total_less_self_is_spent_in_the_children(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    def event(name: str, start: int, end: int) -> dict[str, Any]:
        return {"name": name, "start": start, "end": end, "thread": 0}

    trace = [
        event("step", 0, 100),
        event("forward", 10, 65),
        event("linear", 12, 40),
        event("norm", 45, 59),
    ]
    table = stage.self_total(trace)
    forward = table["forward"]
    assert (forward["total"], forward["self"]) == (55, 13)
    children = table["linear"]["total"] + table["norm"]["total"]
    assert children == forward["total"] - forward["self"] == key["q1"]


def _products(**options: Any) -> Any:
    with profile(activities=CPU, **options) as prof:
        torch.ones(2, 3) @ torch.ones(3, 4)
        torch.ones(2, 3) @ torch.ones(3, 5)
    return prof


def test_q2_shapes_have_to_be_recorded_and_grouped_by(key: dict[str, Any]) -> None:
    def rows(prof: Any, **options: Any) -> int:
        return sum(entry.key == "aten::mm" for entry in prof.key_averages(**options))

    split = {
        "record_shapes and group_by_input_shape": rows(
            _products(record_shapes=True), group_by_input_shape=True
        ),
        "record_shapes and sort_by": rows(_products(record_shapes=True)),
        "with_stack and group_by_stack_n": rows(_products(with_stack=True), group_by_stack_n=1),
        "profile_memory and group_by_input_shape": rows(
            _products(profile_memory=True), group_by_input_shape=True
        ),
    }
    assert [name for name, count in split.items() if count == 2] == [key["q2"]]


def test_q3_a_convolution_allocates_through_empty(key: dict[str, Any]) -> None:
    image, kernel = torch.ones(2, 3, 16, 16), torch.ones(8, 3, 3, 3)
    with profile(activities=CPU, profile_memory=True) as prof:
        torch.conv2d(image, kernel)
    entries = {entry.key: entry for entry in prof.key_averages()}
    conv, output = entries["aten::conv2d"], 4 * 2 * 8 * 14 * 14
    columns = {
        "self memory": conv.self_cpu_memory_usage,
        "total memory": conv.cpu_memory_usage,
        "count": conv.count,
    }
    assert entries["aten::empty"].self_cpu_memory_usage == output
    assert [name for name, size in columns.items() if size == output] == [key["q3"]]


def test_q4_faster_kernels_do_not_move_a_step_that_waits_for_data_or_syncs(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    starved = {"data_wait": 200.0, "forward": 50.0, "backward": 100.0}
    gains = dict(stage.rank_targets(starved, 2, ["data_wait"]))
    assert gains["forward"] == gains["backward"] == 1.0
    assert gains["data_wait"] > 1.3

    def step(work: int, launch: int) -> int:
        phases = [
            {"name": name, "launch": launch, "device": work, "blocking": name == "log"}
            for name in ("forward", "backward", "log")
        ]
        return sum(stage.host_clock_table(phases)["host"].values())

    assert step(work=10, launch=100) > 0.95 * step(work=20, launch=100)
    assert step(work=100, launch=1) < 0.6 * step(work=200, launch=1)
    assert key["q4"] == "data wait, and syncs or launches"


def test_q5_launches_that_come_too_slowly_leave_the_device_idle(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    wall, kernels = 10e-3, 2000
    measured = {
        "wall": wall, "busy": kernels * 2.25e-6, "data_wait": 0.02 * wall, "copies": 0.01 * wall,
        "launches": kernels, "launch_cost": 5e-6, "syncs": 1, "sync_gap": 10e-6,
        "flops": 1e9, "bytes": 1e6, "peak_flops": 1e13, "peak_bandwidth": 1e11,
    }  # fmt: skip
    found = stage.diagnose(measured)
    assert found["utilisation"] == pytest.approx(0.45)
    assert found["bound"] == key["q5"]


def _overlapped(load: float, steps: int = 50) -> float:
    """Time of an iteration [s] when the loader works one batch ahead, event by event."""
    loaded, done = load, 0.0
    for _ in range(steps):
        start = max(done, loaded)
        loaded = start + load
        done = start + 0.050 + 0.100
    return done / steps


def test_q6_an_overlapped_loader_hides_behind_the_step(key: dict[str, Any]) -> None:
    assert _overlapped(0.030) == pytest.approx(key["q6"], rel=0.01)


def test_q7_a_hidden_loader_gains_nothing(stage: ModuleType, key: dict[str, Any]) -> None:
    assert _overlapped(0.030) / _overlapped(0.015) == pytest.approx(key["q7"], rel=0.01)
    phases = {"data_wait": 30.0, "forward": 50.0, "backward": 100.0}
    assert dict(stage.rank_targets(phases, 2, ["data_wait"]))["data_wait"] == key["q7"]


def test_q8_the_counter_has_no_formula_for_attention_on_a_cpu(key: dict[str, Any]) -> None:
    tokens = torch.ones(2, 4, 16, 8)
    with FlopCounterMode(display=False) as counter:
        functional.scaled_dot_product_attention(tokens, tokens, tokens)
    assert counter.get_total_flops() == 0
    with FlopCounterMode(display=False) as counter:
        tokens @ tokens.transpose(-1, -2)
    assert counter.get_total_flops() == 2 * 2 * 4 * 16 * 16 * 8
    assert key["q8"] == "nothing"


def test_q9_averages_after_the_loop_cover_the_last_window(key: dict[str, Any]) -> None:
    def products(prof: Any) -> int:
        return sum(entry.count for entry in prof.key_averages() if entry.key == "aten::mm")

    windows: list[int] = []
    with profile(
        activities=CPU,
        schedule=schedule(wait=0, warmup=1, active=4, repeat=2),
        on_trace_ready=lambda prof: windows.append(products(prof)),
    ) as prof:
        for _ in range(20):
            torch.ones(4, 4) @ torch.ones(4, 4)
            prof.step()
    assert products(prof) == key["q9"]
    assert sum(windows) == 2 * key["q9"]


def test_q10_a_fifth_of_the_step_is_worth_a_quarter_at_most(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    assert stage.amdahl(0.2, float("inf")) == pytest.approx(key["q10"])
    assert stage.amdahl(0.2, 1000.0) < key["q10"]


def test_q11_full_recomputation_is_a_fourth_forward(stage: ModuleType, key: dict[str, Any]) -> None:
    from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

    layers = [torch.nn.Linear(16, 16, bias=False) for _ in range(3)]
    model, x = torch.nn.Sequential(*layers), torch.ones(4, 16, requires_grad=True)

    def counted(output: Callable[[], torch.Tensor]) -> int:
        with FlopCounterMode(display=False) as counter, set_checkpoint_early_stop(False):
            output().sum().backward()
        return counter.get_total_flops()

    plain = counted(lambda: model(x))
    again = counted(lambda: checkpoint(model, x, use_reentrant=False))
    step = stage.training_flops([(4, 16, 16)] * 3, recompute="full")
    assert (plain, again) == (step["model"], step["hardware"])
    assert again / plain == pytest.approx(key["q11"], rel=1e-3)


def test_q12_a_profiler_without_a_schedule_keeps_every_event(key: dict[str, Any]) -> None:
    def kept(steps: int, **options: Any) -> int:
        with profile(activities=CPU, **options) as prof:
            for _ in range(steps):
                with record_function("train_step"):
                    torch.ones(4, 4) @ torch.ones(4, 4)
                prof.step()
        return sum(event.name == "aten::mm" for event in prof.events())

    assert (kept(10), kept(40)) == (10, 40)
    window = {"schedule": schedule(wait=1, warmup=1, active=2, repeat=1)}
    assert (kept(10, **window), kept(40, **window)) == (2, 2)
    assert key["q12"] == "Every event is kept, so that host memory grows with the steps"
