"""Every answer in the key of the self-test of 8.1 comes out of an experiment that runs here."""

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

from grader.instruments.live_bytes import LiveBytes
from grader.instruments.saved_tensors import saved_tensors
from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u81_autograd" / "selftest.toml"


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = {part for name in globals() for part in name.split("_") if part[:1] == "q"}
    assert set(key) <= proved
    assert {part for part in proved if part[1:].isdigit()} <= set(key)


def test_q1_a_graph_that_saves_nothing_can_be_gone_through_again(key: dict[str, Any]) -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3)
    assert saved_tensors(lambda: torch.sum(a + b)) == ()
    loss = (a + b).sum()
    loss.backward()
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [2.0] * 3
    assert len(saved_tensors(lambda: a.exp().sum())) == 1
    loss = a.exp().sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    assert key["q1"].startswith("Addition and sum save nothing")


def test_q2_an_edit_through_data_is_not_noticed(key: dict[str, Any]) -> None:
    a = torch.zeros(3, requires_grad=True)
    h = a.exp()
    loss = h.sum()
    h.data.add_(1)
    assert h._version == 0
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [2.0] * 3  # the right gradient is 1
    assert key["q2"] == "No error, and a wrong gradient"


def test_q3_q4_a_square_saves_one_storage_twice(key: dict[str, Any]) -> None:
    x = torch.randn(5, requires_grad=True)
    (saved,) = saved_tensors(lambda: x * x)
    assert saved.times == key["q3"]
    assert key["q4"] == 1


def test_q5_q6_log_probabilities_are_saved_twice_and_kept_once(key: dict[str, Any]) -> None:
    z = torch.randn(4, 6, requires_grad=True)
    labels = torch.zeros(4, dtype=torch.int64)
    saved = saved_tensors(lambda: functional.cross_entropy(z, labels), [labels])
    probabilities = [found for found in saved if found.shape == (4, 6)]
    assert len(probabilities) == key["q6"]
    assert probabilities[0].times == key["q5"]


class _Call(torch.autograd.Function):
    """Keeps the function that it calls, as a functional with a caller's method may."""

    @staticmethod
    def forward(ctx: Any, function: Any, a: torch.Tensor) -> torch.Tensor:
        ctx.function = function
        return function(a)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[None, torch.Tensor]:
        return None, 2 * g


class _Keeper(nn.Module):
    """A module that keeps its result, with its graph or without."""

    def __init__(self, detach: bool) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.ones(10))
        result = _Call.apply(self.run, self.a)
        self.result = result.detach() if detach else result

    def run(self, a: torch.Tensor) -> torch.Tensor:
        return a * 2


def _alive(detach: bool) -> int:
    gc.collect()
    gc.disable()
    try:
        modules = [weakref.ref(_Keeper(detach)) for _ in range(5)]
        return sum(module() is not None for module in modules)
    finally:
        gc.enable()
        gc.collect()


def test_q7_module_result_node_and_method_are_a_ring(key: dict[str, Any]) -> None:
    assert _alive(detach=False) == key["q7"]
    assert _alive(detach=True) == 0


def _weights_alive(way: str) -> int:
    weights = []
    for _ in range(5):
        p = torch.ones(10, requires_grad=True)
        weights.append(weakref.ref(p))
        y = (p**3).sum()
        if way == "grad":
            torch.autograd.grad(y, p, create_graph=True)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y.backward(create_graph=True)
            if way == "cleared":
                p.grad = None
        del p, y
    gc.collect()
    return sum(weight() is not None for weight in weights)


def test_q8_a_stored_gradient_with_its_graph_is_never_freed(key: dict[str, Any]) -> None:
    assert _weights_alive("stored") == key["q8"]
    assert _weights_alive("cleared") == _weights_alive("grad") == 0


def test_q9_relu_has_no_such_argument(key: dict[str, Any]) -> None:
    x = torch.randn(3)
    with pytest.raises(TypeError):
        torch.relu(x, inplace=True)
    assert functional.relu(x, inplace=True) is x
    assert torch.relu_(x) is x
    assert key["q9"] == "It raises TypeError"


def test_q10_a_recorded_update_is_one_node_more(
    key: dict[str, Any], torch_stage: ModuleType
) -> None:
    w = torch.ones(3, requires_grad=True)
    for _ in range(10):
        (g,) = torch.autograd.grad((w**2).sum(), w)
        w = w - 0.01 * g
    assert torch_stage.graph_nodes(w)["depth"] == key["q10"]


def test_q11_gelu_keeps_its_input_too(key: dict[str, Any], torch_stage: ModuleType) -> None:
    model = nn.Sequential(nn.Linear(10, 20), nn.GELU(), nn.Linear(20, 5))
    x = torch.randn(16, 10)
    hidden = saved_tensors(lambda: model(x), [*model.parameters(), x])
    assert sum(saved.size for saved in hidden) == key["q11"]
    assert torch_stage.predict_saved_bytes([10, 20, 5], 16, activation="gelu")["hidden"] == [
        key["q11"]
    ]


def test_q12_a_frozen_first_layer_saves_no_input(key: dict[str, Any]) -> None:
    first = nn.Linear(4, 5)
    model = nn.Sequential(first, nn.ReLU(), nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3))
    x = torch.randn(7, 4)

    def shapes() -> list[tuple[int, ...]]:
        return [found.shape for found in saved_tensors(lambda: model(x), model.parameters())]

    assert shapes() == [(7, 4), (7, 5), (7, 6)]
    first.requires_grad_(False)
    assert shapes() == [(7, 5), (7, 6)]
    assert key["q12"] == "The input alone"


def test_q13_an_output_that_owns_its_node_stays(key: dict[str, Any]) -> None:
    with LiveBytes() as ledger:
        a = torch.zeros(100, requires_grad=True)
        before = ledger.live
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = a.exp()
        del y
        gc.collect()
        assert ledger.live - before == key["q13"]


def test_q14_layernorm_saves_its_parameter_and_linear_a_view(key: dict[str, Any]) -> None:
    kinds: dict[str, list[bool]] = {"linear": [], "norm": []}
    x = torch.randn(3, 4, requires_grad=True)
    for name, layer in (("linear", nn.Linear(4, 4)), ("norm", nn.LayerNorm(4))):
        address = layer.weight.untyped_storage().data_ptr()

        def pack(t: torch.Tensor, name: str = name, address: int = address) -> torch.Tensor:
            if t.untyped_storage().data_ptr() == address:
                kinds[name].append(isinstance(t, nn.Parameter))
            return t.detach()

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            layer(x)
    assert kinds == {"linear": [False], "norm": [True]}
    assert key["q14"] == "That of a LayerNorm"
