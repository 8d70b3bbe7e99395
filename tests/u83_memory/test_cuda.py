"""On a machine with CUDA the models of unit 8.3 are held against the device; elsewhere skipped."""

from __future__ import annotations

import random
from types import ModuleType

import pytest
import torch

from grader.instruments.caching_allocator import AllocatorModel

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
MIB = 2**20


def _fresh() -> None:
    torch.cuda.empty_cache()
    if torch.cuda.memory_reserved():
        pytest.skip("something else holds memory of the device in this process")


@pytest.mark.parametrize("seed", range(5))
def test_the_models_count_what_the_device_counts(stage: ModuleType, seed: int) -> None:
    _fresh()
    draw = random.Random(seed)
    models, alive = (stage.CachingAllocator(), AllocatorModel()), []
    for _ in range(200):
        if draw.random() < 0.6 or not alive:
            size = draw.choice(
                [draw.randint(1, 4000), draw.randint(1, MIB), draw.randint(MIB, 12 * MIB), MIB]
            )
            tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
            alive.append((tensor, [model.malloc(size) for model in models]))
            del tensor
        else:
            tensor, handles = alive.pop(draw.randrange(len(alive)))
            del tensor
            for model, handle in zip(models, handles, strict=True):
                model.free(handle)
        for model in models:
            stats = model.stats()
            assert stats["allocated"] == torch.cuda.memory_allocated()
            assert stats["reserved"] == torch.cuda.memory_reserved()


def test_the_meter_reads_the_device(torch_stage: ModuleType) -> None:
    meter = torch_stage.meter_for("cuda")
    held: list[torch.Tensor] = []
    with meter:
        before = meter.live
    found = torch_stage.phase_memory(
        [("grow", lambda: held.append(torch.empty(1000, device="cuda")))], meter
    )
    assert found["phases"]["grow"]["after"] - before == 4096
