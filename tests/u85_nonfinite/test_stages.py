"""The solution of 8.5 against PyTorch, and on the cases that its mistakes were seen in."""

from __future__ import annotations

import copy
from types import ModuleType

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from grader.instruments.bad_nodes import record_backward
from grader.instruments.detectors import anomaly_node

SCORES = st.lists(
    st.floats(-1e4, 1e4) | st.sampled_from([-np.inf, 0.0, 1e300, -1e300]), min_size=1, max_size=6
)


@settings(max_examples=60, deadline=None)
@given(SCORES)
def test_softmax_and_logsumexp_are_those_of_pytorch(stage: ModuleType, scores: list[float]) -> None:
    x = np.array(scores)
    wide = torch.tensor(scores, dtype=torch.float64)
    total = torch.logsumexp(wide, 0).item()
    assert stage.logsumexp(x) == pytest.approx(total, rel=1e-12, abs=1e-12)
    if np.isfinite(x).any():
        np.testing.assert_allclose(stage.softmax(x), wide.softmax(0), rtol=1e-11, atol=1e-300)
    else:
        assert (stage.softmax(x) == 0).all()


def test_detectors_says_what_live_detectors_say(stage: ModuleType) -> None:
    x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    step = lambda: torch.where(x > 0, x.sqrt(), x)  # noqa: E731
    runs = record_backward(step().sum())
    nodes = [{"name": run.name, "incoming": run.incoming, "outgoing": run.outgoing} for run in runs]
    seen = stage.detectors([("where", step().detach().numpy())], nodes)
    assert seen == {"forward": False, "anomaly": True, "node": True}
    assert anomaly_node(lambda: step().sum()) == "SqrtBackward0"


class Layers(nn.Module):
    """A layer whose output is just above what float16 holds, and a normalisation behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 2, bias=False).half()
        self.norm = nn.LayerNorm(2).half()
        with torch.no_grad():
            self.linear.weight.copy_(torch.tensor([[33123.0], [0.5]]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.linear(x))


def test_an_activation_just_over_the_maximum_is_found_where_it_is_made(
    torch_stage: ModuleType,
) -> None:
    x = torch.full((1, 1), 2.0, dtype=torch.float16)
    find = torch_stage.first_bad_forward(Layers(), x)
    assert (find["module"], find["kind"], find["born"]) == ("linear", "+inf", True)
    assert Layers()(x).isnan().any()
    assert torch_stage.first_bad_forward(Layers(), x / 2) is None


def test_one_bad_batch_spoils_all_parameters_or_none(torch_stage: ModuleType) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    entries = sum(p.numel() for p in model.parameters())
    assert entries == 25

    def loss_of(net: nn.Module) -> torch.Tensor:
        out = net(torch.ones(2, 4))
        return torch.where(out > 1e9, out.sqrt(), out * 0).sum() + net[0].weight.sum()

    plain = copy.deepcopy(model)
    with torch.no_grad():
        plain[2].bias.fill_(-9.0)
        model[2].bias.fill_(-9.0)
    loss_of(plain).backward()
    nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
    torch.optim.SGD(plain.parameters(), lr=0.1).step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    report = torch_stage.guarded_step(model, optimizer, loss_of(model))
    bad = [sum(int((~p.isfinite()).sum()) for p in m.parameters()) for m in (plain, model)]
    assert bad == [entries, 0]
    assert not report["stepped"]
    assert sum(report["bad"].values()) == entries


def test_a_row_that_may_see_nothing_is_zero_as_in_fused_attention(
    stage: ModuleType, torch_stage: ModuleType
) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 5, 4, dtype=torch.float64)
    keep = torch.ones(5, 5, dtype=torch.bool).tril()
    keep[2] = False
    scores = (q @ k.T / 2).numpy()
    weights = stage.softmax(scores, keep=keep.numpy())
    fused = functional.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=keep)[0]
    np.testing.assert_allclose(weights @ v.numpy(), fused, atol=1e-12)
    assert (weights[2] == 0).all()
    mask = torch_stage.additive_mask([keep], torch.float32)
    assert (torch.from_numpy(scores).float() + mask).softmax(-1).isfinite().all()


def test_two_filled_masks_are_what_the_one_mask_avoids(torch_stage: ModuleType) -> None:
    causal, padding = torch.ones(2, 2).tril().bool(), torch.tensor([[True, False]])
    low = torch.finfo(torch.bfloat16).min
    filled = [
        torch.zeros(2, 2, dtype=torch.bfloat16).masked_fill(~m, low) for m in (causal, padding)
    ]
    assert (filled[0] + filled[1]).isinf().any()
    assert torch_stage.additive_mask([causal, padding], torch.bfloat16).isfinite().all()


def test_a_sparse_gradient_is_looked_at(torch_stage: ModuleType) -> None:
    table = nn.Embedding(5, 3, sparse=True)
    loss = (table(torch.tensor([1, 3])) * 1e38).sum() * 10
    find = torch_stage.first_bad_backward(loss)
    assert find == {"node": "MulBackward0", "nth": 1, "side": "out", "kind": "+inf"}


def test_modules_without_a_call_are_not_seen(torch_stage: ModuleType) -> None:
    """The blind spot that the lesson names."""
    attention = nn.MultiheadAttention(4, 2)
    with torch.no_grad():
        attention.out_proj.weight.fill_(torch.nan)
    x = torch.ones(3, 1, 4)
    assert torch_stage.first_bad_forward(attention, (x, x, x)) is None
    assert attention(x, x, x)[0].isnan().any()
