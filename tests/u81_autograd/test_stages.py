"""The solved stages of unit 8.1 against PyTorch: the same mathematics, the same saved tensors."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from grader.instruments.saved_tensors import saved_bytes


@pytest.mark.parametrize("batch", [0, 1, 5])
def test_an_mlp_by_vjp_functions_has_the_gradients_of_pytorch(
    stage: ModuleType, batch: int
) -> None:
    rng = np.random.default_rng(batch)
    x = rng.standard_normal((batch, 4))
    weights = [rng.standard_normal(shape) for shape in ((6, 4), (6,), (3, 6), (3,))]
    labels = rng.integers(0, 3, batch)
    leaves = [torch.tensor(w, requires_grad=True) for w in weights]
    hidden = torch.relu(nn.functional.linear(torch.tensor(x), *leaves[:2]))
    output = nn.functional.linear(hidden, *leaves[2:])

    y, saved_1, pull_1 = stage.linear_vjp(x, weights[0], weights[1], (False, True, True))
    h, saved_2, pull_2 = stage.relu_vjp(y, (True,))
    z, saved_3, pull_3 = stage.linear_vjp(h, weights[2], weights[3], (True, True, True))
    if batch:
        loss, saved_4, pull_4 = stage.softmax_xent_vjp(z, labels, (True,))
        theirs = nn.functional.cross_entropy(output, torch.tensor(labels))
        assert loss == pytest.approx(theirs.item(), rel=1e-12)
    else:
        theirs = output.sum()
        saved_4, pull_4 = (), lambda _, __: (np.ones_like(z),)
    nodes = {
        "loss": {"inputs": ["z"], "pull": lambda g: pull_4(saved_4, g)},
        "z": {"inputs": ["h", "W2", "b2"], "pull": lambda g: pull_3(saved_3, g)},
        "h": {"inputs": ["y"], "pull": lambda g: pull_2(saved_2, g)},
        "y": {"inputs": [None, "W1", "b1"], "pull": lambda g: pull_1(saved_1, g)},
        **{name: {"inputs": [], "pull": None} for name in ("W1", "b1", "W2", "b2")},
    }
    mine = stage.backward(nodes, "loss", 1.0)
    want = torch.autograd.grad(theirs, leaves)
    for name, gradient in zip(("W1", "b1", "W2", "b2"), want, strict=True):
        np.testing.assert_allclose(mine[name], gradient.numpy(), rtol=1e-10, atol=1e-12)


def test_saved_arrays_and_saved_tensors_of_the_same_mlp_cost_the_same(
    stage: ModuleType, torch_stage: ModuleType
) -> None:
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
    x = torch.randn(5, 4)
    W1, b1, W2, b2 = params = [p.detach().numpy() for p in model.parameters()]  # noqa: N806
    y, first, _ = stage.linear_vjp(x.numpy(), W1, b1, (False, True, True))
    h, second, _ = stage.relu_vjp(y, (True,))
    _, third, _ = stage.linear_vjp(h, W2, b2, (True, True, True))
    mine = stage.saved_bytes([*first, *second, *third], params)
    _, report = torch_stage.saved_report(lambda: model(x), model.parameters(), [x])
    assert mine["packs"] == report["packs"] == 4
    assert mine["bytes"] == report["bytes"]["input"] + report["bytes"]["activation"]
    assert mine["bytes"] == torch_stage.predict_saved_bytes([4, 6, 3], 5)["total"]


@settings(max_examples=60, deadline=None)
@given(
    widths=st.lists(st.integers(1, 9), min_size=2, max_size=6),
    batch=st.integers(0, 6),
    data=st.data(),
    input_grad=st.booleans(),
    activation=st.sampled_from(["relu", "gelu"]),
    dtype=st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
)
def test_the_formula_is_what_the_instrument_sees(  # noqa: PLR0917 - one for each word
    torch_stage: ModuleType,
    widths: list[int],
    batch: int,
    data: st.DataObject,
    input_grad: bool,
    activation: str,
    dtype: torch.dtype,
) -> None:
    frozen = data.draw(st.sets(st.integers(0, len(widths) - 2)))
    layers: list[nn.Module] = []
    for number in range(len(widths) - 1):
        layer = nn.Linear(widths[number], widths[number + 1], dtype=dtype)
        layers += [layer.requires_grad_(number not in frozen)]
        layers += [nn.ReLU() if activation == "relu" else nn.GELU()]
    model = nn.Sequential(*layers[:-1])
    x = torch.ones(batch, widths[0], dtype=dtype, requires_grad=input_grad)
    predicted = torch_stage.predict_saved_bytes(
        widths, batch, frozen, input_grad, activation, dtype.itemsize
    )
    assert predicted["total"] == saved_bytes(lambda: model(x), model.parameters())


def test_the_network_of_a_transformer_saves_eighteen_bytes_a_number(
    torch_stage: ModuleType,
) -> None:
    h, tokens = 8, 12
    model = nn.Sequential(nn.Linear(h, 4 * h), nn.GELU(), nn.Linear(4 * h, h)).bfloat16()
    x = torch.ones(tokens, h, dtype=torch.bfloat16)
    assert saved_bytes(lambda: model(x), model.parameters()) == 18 * tokens * h


def test_a_node_inside_checkpointing_hides_what_it_saves(torch_stage: ModuleType) -> None:
    from torch.utils.checkpoint import checkpoint

    a = torch.randn(8, requires_grad=True)
    _, report = torch_stage.saved_report(
        lambda: checkpoint(lambda x: x.exp().sin(), a, use_reentrant=False), inputs=[a]
    )
    assert report["bytes"]["activation"] == 0
