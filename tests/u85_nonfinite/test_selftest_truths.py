"""Every answer in the key of the self-test of 8.5 comes out of an experiment that runs here."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.instruments.bad_nodes import record_backward
from grader.instruments.detectors import anomaly_node
from grader.instruments.host_syncs import count_host_syncs
from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u85_nonfinite" / "selftest.toml"


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(proved)


def test_q1_a_nan_loss_may_have_finite_gradients(key: dict[str, Any]) -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    loss = x.log().sum()
    loss.backward()
    assert loss.isnan()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    # the other way that is offered does not keep its gradients finite
    two = torch.zeros(2, requires_grad=True)
    (two[0] / two[1]).backward()
    assert two.grad is not None
    assert not two.grad.isfinite().any()
    assert key["q1"] == "yes, after log(-1)"


def test_q2_anomaly_detection_names_who_makes_nan_of_an_infinity(key: dict[str, Any]) -> None:
    x = torch.tensor([3.0], requires_grad=True)
    assert anomaly_node(lambda: (x * 0).sqrt().sum()) == key["q2"]
    zero = torch.zeros(2, requires_grad=True)
    assert anomaly_node(lambda: zero.sqrt().sum()) == ""


def test_q3_the_mean_fits(key: dict[str, Any]) -> None:
    assert torch.ones(70_000, dtype=torch.float16).mean().item() == key["q3"] == 1


def test_q4_the_sum_does_not(key: dict[str, Any]) -> None:
    assert torch.ones(70_000, dtype=torch.float16).sum().item() == float(key["q4"]) == math.inf


def test_q5_fused_attention_gives_zeros_to_who_sees_nothing(key: dict[str, Any]) -> None:
    tokens = torch.randn(1, 1, 3, 4)
    keep = torch.tensor([[True, True, True], [False, False, False], [True, False, True]])
    out = functional.scaled_dot_product_attention(tokens, tokens, tokens, attn_mask=keep)
    assert torch.equal(out[0, 0, 1], torch.zeros(4))
    assert out.isfinite().all()
    assert key["q5"] == "zeros"


def clipped(*values: float) -> torch.Tensor:
    parameter = nn.Parameter(torch.ones(len(values)))
    parameter.grad = torch.tensor(values)
    nn.utils.clip_grad_norm_([parameter], 1.0)
    return parameter.grad


def test_q6_a_sum_of_squares_that_just_fits(key: dict[str, Any]) -> None:
    assert torch.allclose(clipped(*[1e18] * 100), torch.full((100,), 0.1))
    assert clipped(*[1e20] * 100).eq(0).all()
    assert key["q6"] == "0.1 each"


def test_q7_a_clip_by_an_infinite_norm_makes_nan(key: dict[str, Any]) -> None:
    assert clipped(math.inf, *[1.0] * 99).isnan().any()
    assert key["q7"] == "some are NaN"


def test_q8_two_filled_masks_make_nan_together(key: dict[str, Any]) -> None:
    mask = torch.full((3,), torch.finfo(torch.bfloat16).min, dtype=torch.bfloat16)
    scores = torch.randn(3).bfloat16()
    assert (scores + (mask + mask)).softmax(-1).isnan().all()
    assert (scores + mask).softmax(-1).isfinite().all()
    assert key["q8"] == "NaN"


def test_q9_a_clamp_behind_a_root_repairs_the_value_alone(key: dict[str, Any]) -> None:
    x = torch.zeros(3, requires_grad=True)
    y = x.square().sum().rsqrt().clamp(max=1e6)
    y.backward()
    assert y.item() == key["q9"]
    assert x.grad is not None
    assert x.grad.isnan().all()


def test_q10_the_norm_has_a_subgradient(key: dict[str, Any]) -> None:
    x = torch.zeros(3, requires_grad=True)
    x.norm().backward()
    assert x.grad is not None
    assert x.grad.eq(float(key["q10"])).all()


def test_q11_the_consumer_is_named(key: dict[str, Any]) -> None:
    layer = nn.Linear(2, 3)
    data = torch.tensor([[1.0, -1.0]])
    assert anomaly_node(lambda: layer(data.log()).sum()) == key["q11"]


def test_q12_one_infinite_score_spoils_the_row(key: dict[str, Any]) -> None:
    scores = torch.tensor([66246.0, 1.0]).half()
    assert not scores.isnan().any()
    assert int(scores.softmax(-1).isnan().sum()) == key["q12"]


def test_q13_one_wait_for_each_gradient(key: dict[str, Any], torch_stage: ModuleType) -> None:
    gradients = {str(n): torch.ones(3) for n in range(12)}

    def guard() -> None:
        for gradient in gradients.values():
            (~gradient.isfinite()).any().item()

    assert count_host_syncs(guard) == key["q13"]
    assert count_host_syncs(lambda: torch_stage.nonfinite_counts(gradients)) == 1


def test_q14_gradients_are_added_between_nodes(key: dict[str, Any]) -> None:
    def gradient(uses: int) -> torch.Tensor:
        x = torch.full((1,), -80.0, requires_grad=True)
        value = x.exp()
        runs = record_backward(sum(value * 1.5e38 for _ in range(uses)).sum())
        assert not any(run.born for run in runs)
        return next(run.incoming[0] for run in runs if run.name == "ExpBackward0")

    assert next(n for n in range(1, 9) if gradient(n).isinf()) == key["q14"]


def test_q15_running_statistics_keep_a_nan(key: dict[str, Any]) -> None:
    norm = nn.BatchNorm1d(3)
    batch = torch.randn(4, 3)
    spoiled = batch.clone()
    spoiled[1, 2] = torch.nan
    norm(spoiled)
    norm(batch)
    out = norm.eval()(batch)
    assert out[:, 2].isnan().all()
    assert out[:, :2].isfinite().all()
    assert norm.weight.isfinite().all()
    assert key["q15"] == "outputs of that feature"
