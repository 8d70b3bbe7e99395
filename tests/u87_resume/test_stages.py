"""The solved stages of 8.7 on the compact trainer's kin, and what the two stages say alike."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn


@pytest.fixture
def make(torch_stage: ModuleType) -> Any:
    """Return a function that makes a run with everything in it, from a seed."""

    def make(seed: int) -> Any:
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Dropout(0.2), nn.Linear(5, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, gamma=0.5)
        scaler = torch.amp.GradScaler("cpu", init_scale=256.0, growth_interval=4)
        generator = torch.Generator().manual_seed(9)
        data = torch.randn(10, 3, generator=generator), torch.randn(10, generator=generator)
        parts = (model, optimizer, scheduler, scaler, copy.deepcopy(model))
        run = torch_stage.Run(*parts, data, 4, seed)
        random.seed(seed)
        np.random.seed(seed)
        return run

    return make


@pytest.mark.parametrize("before", [0, 1, 2, 3, 5])
def test_the_given_run_resumes_through_a_folder(
    torch_stage: ModuleType, make: Any, tmp_path: Path, before: int
) -> None:
    run = make(1)
    for _ in range(before):
        run.train_step()
    torch_stage.save_checkpoint(torch_stage.run_state(run), tmp_path)
    followed = []
    for _ in range(6):
        loss = run.train_step()
        followed.append({"loss": loss, **torch_stage.run_state(run)})
    other = make(2)
    torch_stage.restore_run(other, torch_stage.load_latest(tmp_path))
    again = []
    for _ in range(6):
        loss = other.train_step()
        again.append({"loss": loss, **torch_stage.run_state(other)})
    assert torch_stage.first_divergence(followed, again) is None
    assert other.step == before + 6


def test_the_two_stages_write_alike(
    stage: ModuleType, torch_stage: ModuleType, tmp_path: Path
) -> None:
    stage.atomic_write(tmp_path / "a", b"1" * 999)
    torch_stage._write_whole(tmp_path / "b", b"1" * 999)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "b"]


def test_a_real_layer_is_bitwise_with_one_thread(torch_stage: ModuleType) -> None:
    torch.manual_seed(0)
    report = torch_stage.boundary_report(nn.Linear(8, 3), torch.randn(6, 8), threads=1)
    assert report["again"] == {"bitwise": True, "largest": 0.0, "within": True}
    assert report["threads"] == report["again"]
    assert report["batch"]["within"]


def test_a_compiled_model_gives_the_same_with_the_eager_backend(torch_stage: ModuleType) -> None:
    torch.manual_seed(0)
    report = torch_stage.boundary_report(
        nn.Linear(4, 2), torch.randn(3, 4), compiler=lambda m: torch.compile(m, backend="eager")
    )
    assert report["compiled"]["bitwise"]
