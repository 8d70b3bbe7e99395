"""Each answer of the self-test of unit 8.3 is what the experiment gives."""

from __future__ import annotations

import gc
import io
import weakref
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from grader.instruments.caching_allocator import AllocatorModel
from grader.instruments.live_bytes import LiveBytes
from grader.instruments.saved_tensors import saved_bytes
from grader.predictions.selftest import read_key

ROOT = Path(__file__).resolve().parents[2]
KEY = {q.id: q for q in read_key(ROOT / "solutions" / "u83_memory" / "selftest.toml")}
MIB = 2**20


def _answer(question: str) -> Any:
    (answer,) = KEY[question].answers
    return answer


def test_every_question_has_an_experiment_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in KEY if f"def test_{name}_" not in source] == []


def test_q1_sixteen_bytes_a_parameter() -> None:
    parameter = nn.Parameter(torch.ones(1000))
    parameter.grad = torch.ones(1000)
    optimizer = torch.optim.AdamW([parameter])
    optimizer.step()
    states = [t for t in optimizer.state[parameter].values() if t.dim()]
    each = sum(t.nbytes for t in [parameter, parameter.grad, *states]) / 1000
    assert each * 250e6 == _answer("q1")


def test_q2_fixed_bytes_are_in_the_card(stage: ModuleType) -> None:
    peaks = [stage.predict_phases([512, 512, 10], batch)["forward"]["after"] for batch in (32, 64)]
    one_more = (peaks[1] - peaks[0]) / 32
    assert one_more < peaks[0] / 32
    assert _answer("q2").startswith("no, it costs less")


def test_q3_empty_cache_lowers_reserved() -> None:
    model = AllocatorModel()
    model.malloc(6 * MIB)
    model.free(model.malloc(30 * MIB))
    before = model.stats()
    model.empty_cache()
    after = model.stats()
    lowered = [name for name in ("allocated", "reserved", "peak_allocated")
               if after[name] < before[name]]  # fmt: skip
    assert [f"memory_{name}" for name in lowered] == [_answer("q3")]


def test_q4_causal_masks() -> None:
    masks = [torch.tril(torch.ones(1024, 1024)).nbytes for _ in range(12)]
    # nanoGPT: 124 439 808 parameters less 12 bytes each, by its own printed figures
    assert sum(masks) == pytest.approx(50.4e6, rel=0.002)
    assert "causal masks" in _answer("q4")


@pytest.mark.skipif(torch.backends.cuda.is_built(), reason="a build with CUDA")
def test_q5_only_the_reset_raises() -> None:
    raised = []
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved",
                 "reset_peak_memory_stats"):  # fmt: skip
        try:
            assert getattr(torch.cuda, name)() == 0
        except (AttributeError, RuntimeError, AssertionError):
            raised.append(f"torch.cuda.{name}()")
    assert raised == [_answer("q5")]


def test_q6_states_follow_the_parameter() -> None:
    parameter = nn.Parameter(torch.ones(1000, dtype=torch.bfloat16))
    parameter.grad = torch.ones_like(parameter)
    optimizer = torch.optim.AdamW([parameter])
    optimizer.step()
    states = [t for t in optimizer.state[parameter].values() if t.dim()]
    assert sum(t.nbytes for t in states) / 1000 == _answer("q6")


def test_q7_a_loss_after_its_backward() -> None:
    model, losses, live = nn.Linear(64, 64), [], []
    x = torch.ones(32, 64)
    ledger = LiveBytes()
    with ledger:
        for _ in range(4):
            loss = model(x).relu().sum()
            loss.backward()
            losses.append(loss)
            del loss
            live.append(ledger.live)
    assert [b - a for a, b in pairwise(live[1:])] == [_answer("q7")] * 2


def test_q8_a_row_keeps_its_table() -> None:
    row = torch.zeros(64, 1000)[0]
    assert row.untyped_storage().nbytes() == _answer("q8")


def test_q9_the_handler_holds_the_frames() -> None:
    def attempt(alive: list[Any]) -> None:
        big = torch.zeros(1000)
        alive.append(weakref.ref(big))
        raise torch.OutOfMemoryError("simulated")

    alive: list[Any] = []
    try:
        attempt(alive)
    except torch.OutOfMemoryError:
        gc.collect()
        assert alive[0]() is not None
    assert alive[0]() is None
    assert "the exception holds the frames" in _answer("q9")


def test_q10_what_comes_once_is_no_leak(torch_stage: ModuleType) -> None:
    # 2 buffers of 4096 KiB and 8 of 16 KiB, the default work space of one handle and stream
    assert (2 * 4096 + 8 * 16) * 1024 == 8519680
    space: list[torch.Tensor] = []

    def product() -> None:
        if not space:
            space.append(torch.empty(8519680, dtype=torch.uint8))
        torch.ones(4, 4) @ torch.ones(4, 4)

    found = torch_stage.find_leak(product, torch_stage.LiveMeter(), warmup=0)
    assert not found["leaks"]
    assert max(found["live"]) == 8519680
    assert "work space" in _answer("q10")


def test_q11_a_checkpoint_beside_the_model() -> None:
    # "meta" stands for the device: its tensors have sizes, and no memory is needed to count them
    model = nn.Linear(100, 100)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    size = sum(p.nbytes for p in model.parameters())
    extra = {}
    for where in ("meta", "cpu"):
        device = nn.Linear(100, 100, device="meta")
        file.seek(0)
        state = torch.load(file, map_location=where)
        tensors = [*device.parameters(), *state.values()]
        extra[where] = sum(t.nbytes for t in tensors if t.device.type == "meta") - size
    assert extra == {"meta": size, "cpu": 0}
    assert "map_location='cpu'" in _answer("q11")


def test_q12_a_block_for_each_number() -> None:
    model = AllocatorModel()
    for _ in range(1000):
        model.malloc(torch.zeros(()).nbytes)
    assert model.allocated == _answer("q12")


def test_q13_a_peak_begins_at_what_is_alive(stage: ModuleType) -> None:
    allocator = stage.CachingAllocator()
    # a hundredth of a block is the unit here
    allocator.malloc(100 * 512)
    allocator.free(allocator.malloc(900 * 512))
    assert allocator.stats()["peak_allocated"] == 1000 * 512
    allocator.reset_peak()
    allocator.free(allocator.malloc(50 * 512))
    assert allocator.stats()["peak_allocated"] == _answer("q13") * 512


def test_q14_one_tensor_between_two_linears() -> None:
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))
    x = torch.zeros(32, 16)
    assert saved_bytes(lambda: model(x), [x, *model.parameters()]) == _answer("q14")
    assert saved_bytes(lambda: F.relu(model[0](x)), [x, *model.parameters()]) == _answer("q14")
