"""Every answer in the key of the self-test of 8.6 comes out of an experiment that runs here."""

from __future__ import annotations

import gc
import warnings
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from grader.instruments.live_bytes import LiveBytes
from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u86_checkpointing" / "selftest.toml"


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(proved)


def test_q1_checkpoint_sequential_needs_an_input(key: dict[str, Any]) -> None:
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(8)))
    with pytest.raises(TypeError, match="input"):
        checkpoint_sequential(model, segments=4)
    output = checkpoint_sequential(model, 4, torch.ones(2, 4), use_reentrant=False)
    assert isinstance(output, torch.Tensor)
    assert key["q1"].startswith("TypeError")


def test_q2_one_more_forward_on_three(stage: ModuleType, key: dict[str, Any]) -> None:
    n = 9
    forwards = stage.chain_counts([1] * (n + 1), 3)["forwards"]
    assert (forwards + 2 * n) / (n + 2 * n) == pytest.approx(key["q2"], rel=1e-4)


def test_q3_what_a_counter_says(torch_stage: ModuleType, key: dict[str, Any]) -> None:
    blocks = [nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 8)) for _ in range(8)]
    model, x = nn.Sequential(*blocks), torch.ones(4, 8)
    plain, each = (
        torch_stage.recompute_report(model, x, segments, LiveBytes)["flops"]["ratio"]
        for segments in (None, 8)
    )
    assert each / plain == pytest.approx(key["q3"], rel=1e-4)


def test_q4_by_the_cost_model(stage: ModuleType, key: dict[str, Any]) -> None:
    peaks = [stage.chain_counts([1] * 17, k)["peak"] for k in range(1, 17)]
    assert peaks.index(min(peaks)) + 1 == stage.best_segments(16) == key["q4"]


def test_q5_hundred_layers_in_four(stage: ModuleType, key: dict[str, Any]) -> None:
    assert stage.chain_counts([1] * 101, 4)["peak"] == key["q5"]


def test_q6_the_first_block_gets_nothing(key: dict[str, Any]) -> None:
    blocks = [nn.Linear(4, 4) for _ in range(2)]
    x = torch.ones(3, 4)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for block in blocks:
            x = checkpoint(block, x)
        # the output of the second block needs a gradient only through what lies behind it
        head = nn.Linear(4, 1)
        head(x).sum().backward()
    said = " ".join(str(warning.message) for warning in seen)
    assert "use_reentrant" in said
    assert "None of the inputs have requires_grad=True" in said
    assert blocks[0].weight.grad is None
    assert key["q6"] == "They get no gradient, with a warning"


def test_q7_masks_of_chance(key: dict[str, Any]) -> None:
    def block(x: torch.Tensor) -> torch.Tensor:
        return functional.dropout(x, 0.5) * x

    torch.manual_seed(0)
    x = torch.ones(100_000, requires_grad=True)
    y = checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)
    y.sum().backward()
    share = ((y != 0) == (x.grad != 0)).double().mean().item()
    # four standard deviations of a share of 100 000
    assert share == pytest.approx(key["q7"] / 100, abs=4 * 0.5 / 100_000**0.5)


def test_q8_nobody_compares_values(key: dict[str, Any]) -> None:
    scale = torch.ones(())

    def block(x: torch.Tensor) -> torch.Tensor:
        scale.add_(1)
        return (x * scale.clone()).exp()

    x = torch.zeros(1, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint(block, x, use_reentrant=False).sum().backward()
    # the forward computed exp(2 x), whose gradient at 0 is 2
    assert x.grad.item() != 2
    assert key["q8"] == "Nothing, and the gradient is wrong"


def test_q9_the_momentum_repairs_the_average_alone(key: dict[str, Any]) -> None:
    def run(momentum: float, twice: bool) -> nn.Module:
        torch.manual_seed(0)
        norm = nn.BatchNorm1d(2, momentum=momentum)
        x = torch.randn(64, 2) + 5
        y = checkpoint(norm, x, use_reentrant=False) if twice else norm(x)
        y.pow(2).sum().backward()
        return norm

    right, repaired = run(0.1, False), run(1 - 0.9**0.5, True)
    assert torch.allclose(right.running_mean, repaired.running_mean, rtol=1e-5)
    assert (right.num_batches_tracked, repaired.num_batches_tracked) == (1, 2)
    assert key["q9"] == "Running statistics alone"


def test_q10_keywords_are_refused(key: dict[str, Any]) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="keyword"):
        checkpoint(lambda t, scale: t * scale, x, scale=3.0, use_reentrant=True)
    assert key["q10"].startswith("ValueError")


def test_q11_what_is_not_run_again(key: dict[str, Any]) -> None:
    block = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4), nn.GELU())
    ended, operations = [], []
    for place, layer in enumerate(block):
        layer.register_forward_hook(lambda *_, place=place: ended.append(place))

    class Record(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            operations.append(str(func))
            return func(*args, **(kwargs or {}))

    y = checkpoint(block, torch.ones(2, 4), use_reentrant=False)
    ended.clear()
    with Record():
        y.sum().backward()
    assert ended == [0, 1, 2]
    assert operations.count("aten.addmm.default") == 2
    assert operations.count("aten.gelu.default") == 1
    assert key["q11"] == "The last GELU"


def test_q12_no_context_stays(key: dict[str, Any]) -> None:
    contexts = []

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> Any:
            kept = x.clone(), x.clone()
            contexts.append(weakref.ref(ctx))
            ctx.save_for_backward(x, *kept)
            return kept

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            return grads[0] * ctx.saved_tensors[0]

    p = torch.ones(10, requires_grad=True)
    for _ in range(5):
        checkpoint(lambda t: Own.apply(t)[0], p, use_reentrant=False).sum().backward()
    gc.collect()
    assert sum(context() is not None for context in contexts) == key["q12"]


def test_q13_a_peak_in_the_optimizer_stays(torch_stage: ModuleType, key: dict[str, Any]) -> None:
    def peak(segments: int | None) -> tuple[int, str]:
        torch.manual_seed(0)
        model, x = nn.Sequential(*(nn.Linear(64, 64) for _ in range(8))), torch.ones(2, 64)
        run = model if segments is None else torch_stage.checkpointed(model, segments)
        optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
        ledger = LiveBytes()
        ledger.track(model, x)
        with ledger:
            for _ in range(2):
                with ledger.phase("forward"):
                    y = run(x)
                with ledger.phase("backward"):
                    y.sum().backward()
                del y
                with ledger.phase("optimizer"):
                    optimizer.step()
                optimizer.zero_grad()
        return ledger.peak, max(ledger.phases, key=lambda name: ledger.phases[name].peak)

    plain, checkpointed = peak(None), peak(3)
    assert plain == checkpointed
    assert plain[1] == "optimizer"
    assert key["q13"] == "Not at all"
