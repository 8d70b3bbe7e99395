"""The solved stages of unit 8.6 against each other, and against torch's own checkpoint."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.instruments.live_bytes import LiveBytes


class Tanh:
    """A layer of the NumPy stage, ``tanh(x W)``."""

    def __init__(self, weight: Any) -> None:
        self.weight = weight

    def forward(self, x: Any, rng: Any) -> Any:
        y = np.tanh(x @ self.weight)
        return y, (x, y)

    def backward(self, cache: Any, grad: Any) -> Any:
        x, y = cache
        grad = grad * (1 - y * y)
        return grad @ self.weight.T, {"weight": x.T @ grad}


@pytest.mark.parametrize(("n", "segments"), [(1, 1), (5, 2), (6, 3), (4, 4)])
def test_the_chain_in_numpy_has_the_gradients_of_the_model_in_torch(
    stage: ModuleType, torch_stage: ModuleType, n: int, segments: int
) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((7, 7)) / 3 for _ in range(n)]
    x = rng.standard_normal((4, 7))
    layers = [Tanh(weight) for weight in weights]
    y, boundaries = stage.chain_forward(layers, x, segments, rng)
    grad_x, grads = stage.chain_backward(layers, boundaries, np.ones_like(y), rng)

    blocks = []
    for weight in weights:
        linear = nn.Linear(7, 7, bias=False, dtype=torch.float64)
        linear.weight.data = torch.tensor(weight.T)
        blocks.append(nn.Sequential(linear, nn.Tanh()))
    theirs = torch.tensor(x, requires_grad=True)
    out = torch_stage.checkpointed(nn.Sequential(*blocks), segments)(theirs)
    out.sum().backward()
    # products of 7 terms in double precision, at most n of them one after another
    close = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(y, out.detach().numpy(), **close)
    np.testing.assert_allclose(grad_x, theirs.grad.numpy(), **close)
    for mine, block in zip(grads, blocks, strict=True):
        np.testing.assert_allclose(mine["weight"], block[0].weight.grad.numpy().T, **close)


def test_the_counts_are_what_the_report_measures(
    stage: ModuleType, torch_stage: ModuleType
) -> None:
    blocks = [nn.Sequential(nn.Linear(16, 16), nn.Tanh()) for _ in range(7)]
    x = torch.ones(32, 16)
    for segments in (1, 3, 7):
        report = torch_stage.recompute_report(nn.Sequential(*blocks), x, segments, LiveBytes)
        counts = stage.chain_counts([x.nbytes] * 8, segments)
        # the report counts the output and not the input, the calculator the other way round
        assert report["live"] == counts["stored"]
        assert sum(report["calls"]) == counts["forwards"]


def _model() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(*(nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.4)) for _ in range(4)))


class Reentrant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.model = _model()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.model:
            x = checkpoint(block, x, use_reentrant=True)
        return x


def test_the_old_form_is_found_by_its_missing_gradients(torch_stage: ModuleType) -> None:
    class Headed(nn.Module):
        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner
            self.head = nn.Linear(6, 6)
            nn.init.eye_(self.head.weight)
            nn.init.zeros_(self.head.bias)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.inner(x))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = torch_stage.step_differences(
            lambda: Headed(_model()), lambda: Headed(Reentrant()), torch.randn(5, 6)
        )
    names = [f"gradient of inner.{i}.0.{word}" for i in range(4) for word in ("weight", "bias")]
    assert found == names


def test_state_in_an_attribute_is_out_of_reach_and_is_found(torch_stage: ModuleType) -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.runs = 0
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.runs += 1
            return (x * self.scale * self.runs).tanh()

    def plain() -> nn.Sequential:
        return nn.Sequential(Counting(), Counting())

    found = torch_stage.step_differences(
        plain, lambda: torch_stage.checkpointed(plain(), 2), torch.randn(5, 6)
    )
    assert found
    assert all(name.startswith("gradient of") for name in found)


def test_torchs_checkpoint_and_the_one_by_hand_keep_the_same(torch_stage: ModuleType) -> None:
    block = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Dropout(0.2), nn.Linear(128, 32))
    x = torch.randn(64, 32)
    live = []
    for run in (
        lambda: torch_stage.checkpoint_by_hand(block, x),
        lambda: checkpoint(block, x, use_reentrant=False),
    ):
        ledger = LiveBytes()
        ledger.track(block, x)
        with ledger, ledger.phase("forward"):
            y = run()
        live.append(ledger.phases["forward"].after - ledger.phases["forward"].before)
        del y
    assert live == [x.nbytes, x.nbytes]


def test_selective_lies_between_plain_and_full(torch_stage: ModuleType) -> None:
    blocks = [nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)) for _ in range(4)]
    model, x = nn.Sequential(*blocks), torch.randn(64, 32)

    def live(run: Any) -> int:
        ledger = LiveBytes()
        ledger.track(model, x)
        with ledger, ledger.phase("forward"):
            y = run(x)
        del y
        return ledger.phases["forward"].after - ledger.phases["forward"].before

    full, selective, plain = (
        live(torch_stage.checkpointed(model, 2)), live(torch_stage.selective(model, 2)), live(model)
    )  # fmt: skip
    assert full < selective < plain
