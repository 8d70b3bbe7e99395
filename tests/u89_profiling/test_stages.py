"""The solved stages of unit 8.9 on real runs: the profiler, the counter and the compact trainer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.instruments import nesting, trace

pytestmark = pytest.mark.filterwarnings("ignore:.*Profiler clears events:UserWarning")

INNER = ("transfer", "forward", "backward", "optimizer")


@pytest.fixture
def make(torch_stage: ModuleType, compact: ModuleType) -> Callable[..., Any]:
    """Return ``make(seed)`` for a small trainer with dropout."""
    config = compact.config.ModelConfig(widths=(64, 32, 10), dropout=0.1)
    return lambda seed=0: compact.trainer.make_trainer(config, seed=seed, lr=1e-2, batch_size=64)


def test_self_times_of_a_real_trace_add_up_to_its_outermost_ranges(
    stage: ModuleType, torch_stage: ModuleType, make: Callable[..., Any], tmp_path: Path
) -> None:
    trainer = make()
    plan = {"wait": 0, "warmup": 1, "active": 3, "repeat": 1}
    (path,) = torch_stage.profile_steps(trainer, trainer.batches, plan, tmp_path)["traces"]
    raw = trace.host_events(trace.read_trace(path))
    events = [{"name": e.name, "start": e.start, "end": e.end, "thread": e.thread} for e in raw]
    table = stage.self_total(events)
    assert sum(row["self"] for row in table.values()) == nesting.top_level_time(raw)
    theirs = nesting.self_total(raw)
    assert {name: (row["self"], row["total"]) for name, row in table.items()} == {
        name: (row.self_time, row.total) for name, row in theirs.items()
    }


def test_the_phase_table_of_a_real_trace_has_all_its_time(
    stage: ModuleType, torch_stage: ModuleType, make: Callable[..., Any], tmp_path: Path
) -> None:
    trainer = make()
    plan = {"wait": 1, "warmup": 1, "active": 3, "repeat": 2}
    seen = torch_stage.profile_steps(trainer, trainer.batches, plan, tmp_path / "new" / "folder")
    assert len(seen["traces"]) == 2
    for path in seen["traces"]:
        assert not trace.viewer_problems(json.loads(Path(path).read_text(encoding="utf-8")))
        raw = trace.user_ranges(trace.read_trace(path))
        waits = [e.duration for e in raw if e.name == "data_wait"]
        events = [{"name": e.name, "start": e.start, "end": e.end, "thread": e.thread} for e in raw]
        table = stage.phase_table(events, waits)
        assert sum(row["share"] for row in table["rows"].values()) == pytest.approx(1.0)
        assert table["rows"]["residual"]["p50"] >= 0
        assert not nesting.outside(raw, "forward", "train_step")
        assert len(nesting.outside(raw, "data_wait", "train_step")) == 3


def test_a_sleeping_loader_is_data_wait_by_the_wall_clock(
    torch_stage: ModuleType, make: Callable[..., Any]
) -> None:
    trainer = make()

    def slow() -> Iterator[Any]:
        for batch in trainer.batches.stream():
            time.sleep(0.02)
            yield batch

    plan = {"wait": 0, "warmup": 1, "active": 5, "repeat": 1}
    seen = torch_stage.profile_steps(trainer, slow(), plan)
    assert seen["slowest"] == "data_wait"
    assert seen["rows"]["data_wait"]["p50"] >= 0.02
    assert seen["traces"] == []
    supply = torch_stage.loader_supply(slow(), 5, step_time=1e-3)
    assert supply["rate"] <= 50
    assert supply["covers"] is False


def test_the_hand_count_of_the_sheets_mlp_is_reconciled(
    stage: ModuleType, torch_stage: ModuleType, compact: ModuleType
) -> None:
    import torch

    trainer = compact.trainer.make_trainer()
    x, y = torch.ones(128, 64), torch.zeros(128, dtype=torch.long)
    widths = (64, 256, 256, 10)
    products = [(128, k, n) for k, n in pairwise(widths)]
    hand = {"forward": stage.training_flops(products)["forward"]}
    counted = torch_stage.reconcile_flops(lambda: trainer.model(x), hand)
    assert (counted["counted"], counted["unexplained"]) == (21_626_880, 0)
    layers = [stage.training_flops([product])["forward"] for product in products]
    hand |= {f"layer_{i}_weights": size for i, size in enumerate(layers, 1)}
    hand |= {f"layer_{i}_input": size for i, size in enumerate(layers, 1)}
    step = torch_stage.reconcile_flops(lambda: trainer.forward(x, y).backward(), hand)
    assert step["counted"] == 21_626_880 + 39_059_456
    assert step["missing"] == layers[0]
    assert step["excluded"] in (["layer_1_weights"], ["layer_1_input"])


def test_the_real_controls_pass_a_sound_trainer_and_the_same_code_is_null(
    torch_stage: ModuleType, compact: ModuleType
) -> None:
    config = compact.config.ModelConfig(widths=(64, 64, 10))
    controls = compact.controls

    def make(seed: int) -> Any:
        return compact.trainer.make_trainer(config, seed=seed, lr=1e-2, batch_size=64)

    chosen = [
        partial(controls.overfit_tiny_set, steps=60),
        partial(controls.shuffled_labels, steps=60, examples=128),
        controls.every_parameter_learns,
    ]
    times = [1.0 + 0.001 * (i % 7) for i in range(40)]
    report = torch_stage.verify_optimization(make, make, (times, times), chosen)
    assert report["verdict"] == "null"
    assert report["failed"] == []
    assert list(report["controls"]) == [
        "overfit_tiny_set", "shuffled_labels", "every_parameter_learns"
    ]  # fmt: skip


def test_a_compiled_trainer_is_verified_under_its_own_parameter_names(
    torch_stage: ModuleType, make: Callable[..., Any]
) -> None:
    import torch

    def wrapped(seed: int) -> Any:
        trainer = make(seed)
        inner = trainer.model
        trainer.model = torch.nn.Module()
        trainer.model.add_module("_orig_mod", inner)
        trainer.model.forward = inner.forward
        return trainer

    times = [1.0] * 25
    report = torch_stage.verify_optimization(make, wrapped, (times, times), [])
    assert report["failed"] == []


def test_a_frozen_layer_is_seen_in_the_gradients(
    torch_stage: ModuleType, make: Callable[..., Any]
) -> None:
    def frozen(seed: int) -> Any:
        trainer = make(seed)
        next(trainer.model.parameters()).requires_grad_(False)
        return trainer

    faster = ([1.3] * 25, [1.0] * 25)
    report = torch_stage.verify_optimization(make, frozen, faster, [])
    assert report["verdict"] == "reject"
    assert "gradients" in report["failed"]
    assert report["speed"]["verdict"] == "gain"


def test_the_two_bootstraps_agree(stage: ModuleType, torch_stage: ModuleType) -> None:
    import numpy as np

    rng = np.random.default_rng(3)
    for ratio in (0.8, 1.0, 1.015, 1.3):
        new = np.exp(rng.normal(0, 0.5, 200))
        old = new * ratio * np.exp(rng.normal(0, 0.02, 200))
        with_numpy = stage.paired_bootstrap(old, new, 0)
        with_torch = torch_stage._speed(old.tolist(), new.tolist(), 0)
        assert with_torch["ratio"] == pytest.approx(with_numpy["ratio"])
        assert with_torch["low"] == pytest.approx(with_numpy["low"], rel=0.01)
        assert with_torch["verdict"] == with_numpy["verdict"]


def test_the_bootstrap_leaves_numpys_global_state_alone(stage: ModuleType) -> None:
    import numpy as np

    np.random.seed(5)
    before = np.random.get_state()[1].copy()
    stage.paired_bootstrap([1.0] * 30, [1.0] * 30, 1)
    assert (np.random.get_state()[1] == before).all()


def test_the_closed_book_step_holds_its_promise(torch_stage: ModuleType, tmp_path: Path) -> None:
    answer = torch_stage.closed_book_step(tmp_path / "closed.json")
    assert sum(answer["phases"].values()) <= answer["train_step"]
    ranges = trace.named(trace.read_trace(answer["trace"]), "train_step", *INNER)
    assert len(ranges) == 5
