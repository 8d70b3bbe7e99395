"""The solved NumPy stage against ml_dtypes and torch, pattern by pattern and step by step."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

FORMATS = {
    "float16": (np.float16, torch.float16, (5, 10, True)),
    "bfloat16": (ml_dtypes.bfloat16, torch.bfloat16, (8, 7, True)),
    "float8_e5m2": (ml_dtypes.float8_e5m2, torch.float8_e5m2, (5, 2, True)),
    "float8_e4m3fn": (ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn, (4, 3, False)),
    "float32": (np.float32, torch.float32, (8, 23, True)),
}

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in cast:RuntimeWarning")


@pytest.fixture(params=list(FORMATS))
def known(request: pytest.FixtureRequest) -> tuple[Any, torch.dtype, tuple[int, int, bool]]:
    return FORMATS[request.param]


def _patterns(bits: int) -> np.ndarray:
    if bits <= 16:
        return np.arange(2**bits)
    return np.random.default_rng(0).integers(0, 2**bits, 200_000)


def _values() -> np.ndarray:
    """Return 200 000 float32 numbers of every size, with every pattern of ties among them."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**32, 150_000, dtype=np.uint64).astype(np.uint32)
    ties = (rng.integers(0, 2**19, 50_000, dtype=np.uint64) << 13 | 0x1000).astype(np.uint32)
    half = rng.integers(0, 2**16, 50_000, dtype=np.uint64).astype(np.uint32) << 16 | 0x8000
    return np.concatenate([bits, ties, half.astype(np.uint32)]).view(np.float32)


def _equal(got: np.ndarray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(got, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(want[numbers]))


def test_patterns_mean_what_ml_dtypes_says(stage: ModuleType, known: Any) -> None:
    theirs, _, (exponent, mantissa, infinity) = known
    bits = 1 + exponent + mantissa
    codes = _patterns(bits)
    unsigned = codes.astype(f"u{max(bits // 8, 1)}")
    want = unsigned.view(theirs).astype(np.float64)
    _equal(stage.decode(codes, exponent, mantissa, infinity), want)


def test_values_round_as_ml_dtypes_rounds_them(stage: ModuleType, known: Any) -> None:
    theirs, _, fmt = known
    values = _values().astype(np.float64)
    want = _values().astype(theirs).astype(np.float64)
    _equal(stage.decode(stage.encode(values, *fmt), *fmt), want)


def test_values_round_as_torch_rounds_them(stage: ModuleType, known: Any) -> None:
    _, theirs, fmt = known
    values = _values()
    values = values[~np.isnan(values)]
    want = torch.from_numpy(values.copy()).to(theirs).double().numpy()
    # torch 2.13 saturates where there is no infinity, infinities too; ml_dtypes gives NaN
    codes = stage.encode(values.astype(np.float64), *fmt, saturate=not fmt[2])
    _equal(stage.decode(codes, *fmt), want)


def test_limits_are_those_of_finfo(stage: ModuleType, known: Any) -> None:
    theirs, torchs, fmt = known
    limits, info = stage.format_limits(*fmt), torch.finfo(torchs)
    assert (limits["max"], limits["smallest_normal"], limits["eps"]) == (
        info.max,
        info.smallest_normal,
        info.eps,
    )
    assert limits["smallest_subnormal"] == float(ml_dtypes.finfo(theirs).smallest_subnormal)


def test_a_float64_goes_to_float16_as_numpy_takes_it(stage: ModuleType) -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal(100_000) * 10.0 ** rng.integers(-9, 6, 100_000)
    with np.errstate(over="ignore"):
        want = values.astype(np.float16).view(np.uint16)
    np.testing.assert_array_equal(stage.encode(values, 5, 10), want)


def test_bf16_by_bits_is_torchs_on_two_hundred_thousand_values(stage: ModuleType) -> None:
    values = _values()
    want = torch.from_numpy(values.copy()).bfloat16().float().numpy()
    _equal(stage.round_bf16(values), want)


def test_cutting_bits_off_changes_half_of_the_values() -> None:
    values = np.random.default_rng(3).standard_normal(200_000).astype(np.float32)
    cut = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    rounded = torch.from_numpy(values).bfloat16().float().numpy()
    assert np.mean(cut != rounded) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_the_scaler_is_torchs_on_random_sequences(stage: ModuleType, seed: int) -> None:
    rng = np.random.default_rng(seed)
    options = {
        "init_scale": float(rng.choice([65536.0, 3.0, 1e38])),
        "growth_factor": float(rng.choice([2.0, 1.5])),
        "backoff_factor": float(rng.choice([0.5, 0.7])),
        "growth_interval": int(rng.integers(1, 5)),
    }
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], 0.1)
    theirs, ours = torch.amp.GradScaler("cpu", **options), stage.LossScaler(**options)
    for bad in rng.random(200) < 0.2:
        optimizer.zero_grad()
        theirs.scale(weight.sum()).backward()
        if bad:
            weight.grad.fill_(torch.inf)
        gradient = weight.grad.numpy().copy()
        theirs.step(optimizer)
        theirs.update()
        stepped = ours.step([gradient], lambda gradients: None)
        ours.update()
        assert stepped == (not bad) or not np.isfinite(gradient).all()
        state = theirs.state_dict()
        assert (ours.scale, ours.growth_tracker) == (state["scale"], state["_growth_tracker"])


def test_clip_before_unscale_looks_healthy_under_adam_and_not_under_sgd() -> None:
    def run(kind: type[torch.optim.Optimizer], *, unscale_first: bool) -> tuple[float, float]:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
        x, y = torch.randn(32, 8), torch.randint(4, (32,))
        optimizer = kind(model.parameters(), lr=0.01)  # type: ignore[call-arg]
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for _ in range(60):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                loss = torch.nn.functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            if unscale_first:
                scaler.unscale_(optimizer)
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        return float(loss.detach()), float(norm)

    right, wrong = (run(torch.optim.AdamW, unscale_first=first) for first in (True, False))
    assert max(right[0], wrong[0]) < 0.2
    assert wrong[1] > 500 * right[1]
    right, wrong = (run(torch.optim.SGD, unscale_first=first) for first in (True, False))
    assert wrong[0] > right[0] + 0.02


def test_half_parameters_are_refused_by_torchs_scaler() -> None:
    weight = torch.nn.Parameter(torch.ones(1).half())
    optimizer = torch.optim.SGD([weight], 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    scaler.scale(weight.float().sum()).backward()
    with pytest.raises(ValueError, match="unscale FP16"):
        scaler.unscale_(optimizer)


def test_the_folder_of_tables_is_whole() -> None:
    assert len(list((Path(__file__).parent / "tables").glob("*.json"))) == 3
