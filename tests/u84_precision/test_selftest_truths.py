"""Every answer in the key of the self-test of 8.4 comes out of an experiment that runs here."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u84_precision" / "selftest.toml"


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(proved)


def _word(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def test_q1_layer_norm_stays_in_float16_on_a_cpu(key: dict[str, Any]) -> None:
    with torch.autocast("cpu", dtype=torch.float16):
        out = nn.LayerNorm(4)(nn.Linear(4, 4)(torch.ones(2, 4)))
    assert _word(out) == key["q1"]


def test_q2_is_autocast_enabled_asks_for_cuda(key: dict[str, Any]) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert str(torch.is_autocast_enabled()) == key["q2"]
        assert torch.is_autocast_enabled("cpu")


def _sum(dtype: torch.dtype) -> float:
    total, step = torch.zeros((), dtype=dtype), torch.tensor(0.01).to(dtype)
    for _ in range(1000):
        total = total + step
    return float(total)


def test_q3_a_thousand_hundredths_in_float16(key: dict[str, Any]) -> None:
    assert _sum(torch.float16) == key["q3"]


def test_q4_a_thousand_hundredths_in_bfloat16(stage: ModuleType, key: dict[str, Any]) -> None:
    assert _sum(torch.bfloat16) == key["q4"]
    # the sum stands still as soon as half of the spacing exceeds the addend
    assert stage.ulp(key["q4"], 8, 7) / 2 > 0.01 > stage.ulp(key["q4"] / 2.01, 8, 7) / 2


def test_q5_bfloat16_loses_no_gradient_that_float16_does(
    torch_stage: ModuleType, key: dict[str, Any]
) -> None:
    torch.manual_seed(0)
    gradients = {"w": torch.randn(1000) * 1e-9}
    assert torch_stage.needs_scaler(gradients, torch.float16)["needed"]
    assert not torch_stage.needs_scaler(gradients, torch.bfloat16)["needed"]
    least = {"w": torch.tensor([torch.finfo(torch.float32).smallest_normal])}
    assert torch_stage.needs_scaler(least, torch.bfloat16)["underflow"] == 0
    assert key["q5"].startswith("No, its exponents")


def test_q6_bfloat16_overflows_just_under_the_largest_float32(key: dict[str, Any]) -> None:
    # the middle between the largest number and where the next one would be
    first = (2 - 2.0**-8) * 2.0**127
    assert first == pytest.approx(3.396e38, rel=1e-4)
    assert torch.tensor(first).bfloat16().isinf()
    assert not torch.tensor(3.395e38).bfloat16().isinf()
    assert torch.tensor(3.4e38).isfinite()
    assert key["q6"] == "Yes, above 3.396e38"


def test_q7_the_largest_number_of_a_six_bit_format(stage: ModuleType, key: dict[str, Any]) -> None:
    values = stage.decode(np.arange(64), 3, 2, False)
    assert np.nanmax(values) == key["q7"] == stage.format_limits(3, 2, False)["max"]
    assert np.isnan(values).sum() == 2


class _Wrapper:
    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimizer, name)


def test_q8_a_wrapper_is_unscaled_twice_without_an_error(key: dict[str, Any]) -> None:
    weight = nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.SGD([weight], 1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    scaler.scale((0.5 * weight).sum()).backward()
    scaler.unscale_(_Wrapper(optimizer))
    scaler.step(optimizer)
    assert 1 - weight.item() == pytest.approx(0.5 / 1024, rel=1e-6)
    assert key["q8"] == "The gradients are divided by the scale twice, without an error"


def test_q9_seventeen_halvings_from_65536_to_below_one(key: dict[str, Any]) -> None:
    weight = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], 0.1)
    scaler, count = torch.amp.GradScaler("cpu"), 0
    while scaler.get_scale() >= 1:
        optimizer.zero_grad()
        scaler.scale(weight.sum() * torch.inf).backward()
        scaler.step(optimizer)
        scaler.update()
        count += 1
    assert count == key["q9"]
    for _ in range(200):
        optimizer.zero_grad()
        scaler.scale(weight.sum() * torch.inf).backward()
        scaler.step(optimizer)
        scaler.update()
    assert (scaler.get_scale(), weight.item()) == (0.0, 1.0)


def test_q10_divided_by_the_scale_of_the_next_step(stage: ModuleType, key: dict[str, Any]) -> None:
    scaler = stage.LossScaler(4.0, growth_interval=1)
    scaled = np.array([scaler.scale_loss(1.0)])
    scaler.unscale([np.ones(1)])
    scaler.update()
    (found,) = scaler.unscale([scaled])
    assert found == key["q10"]


def test_q11_adam_hides_what_clipping_before_unscaling_does(key: dict[str, Any]) -> None:
    def losses(*, unscale_first: bool) -> list[float]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
        x, y = torch.randn(32, 8), torch.randint(4, (32,))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        seen = []
        for _ in range(60):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                loss = functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            if unscale_first:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            seen.append(float(loss.detach()))
        return seen

    for first in (True, False):
        run = losses(unscale_first=first)
        assert run[0] > 1
        assert run[-1] < 0.2
    assert key["q11"].startswith("They fall as in a healthy run")


def test_q12_eight_steps_are_left_out_from_65536_to_256(
    stage: ModuleType, key: dict[str, Any]
) -> None:
    scaler, left_out = stage.LossScaler(), 0
    # 200 times 256 fits in float16, and with the next scale it does not
    while True:
        with np.errstate(over="ignore"):
            gradient = (np.array([200.0]) * scaler.scale).astype(np.float16)
        if scaler.step([gradient], lambda gradients: None):
            break
        scaler.update()
        left_out += 1
    assert left_out == key["q12"]


def test_q13_a_forward_without_gradients_in_the_same_region_does_no_harm(
    key: dict[str, Any],
) -> None:
    layer, x = nn.Linear(3, 2), torch.randn(4, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.no_grad():
            layer(x)
        out = layer(x)
    out.float().sum().backward()
    assert layer.weight.grad is not None
    assert key["q13"] == "Yes"


def test_q14_without_update_the_second_iteration_is_refused(key: dict[str, Any]) -> None:
    weight = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], 0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.scale(weight.sum()).backward()
    with pytest.raises(RuntimeError):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError):
        scaler.step(optimizer)
    assert key["q14"] == "A RuntimeError"


def test_q15_the_cast_to_float8_saturates(stage: ModuleType, key: dict[str, Any]) -> None:
    value = float(torch.tensor(1000.0).to(torch.float8_e4m3fn).float())
    assert value == float(key["q15"])
    assert stage.decode(stage.encode(1000.0, 4, 3, False, saturate=True), 4, 3, False) == value
    assert np.isnan(stage.decode(stage.encode(1000.0, 4, 3, False), 4, 3, False))


def test_a_scaler_without_a_device_is_off_on_a_cpu() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        enabled = torch.amp.GradScaler().is_enabled()
    assert enabled == torch.cuda.is_available()
