"""Every answer in the key of the self-test of 8.8 comes out of an experiment that runs here."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.instruments.graph_breaks import count_graphs, first_break
from grader.predictions.selftest import read_key

KEY = Path(__file__).resolve().parents[2] / "solutions" / "u88_compile" / "selftest.toml"

with_inductor = pytest.mark.skipif(
    "GRADE_INDUCTOR" not in os.environ,
    reason="inductor compiles C++ for seconds to minutes; set GRADE_INDUCTOR=1",
)


@pytest.fixture(scope="module")
def key() -> dict[str, Any]:
    """The right answer of each question, by its id."""
    return {question.id: question.answers[0] for question in read_key(KEY)}


def test_the_key_has_exactly_the_questions_that_are_proved_here(key: dict[str, Any]) -> None:
    proved = [name.split("_")[1] for name in globals() if name.startswith("test_q")]
    assert sorted(key) == sorted(set(proved))


def _dropped(backend: str | None, seed: int = 0) -> torch.Tensor:
    def fn(x: Any) -> Any:
        return functional.dropout(x, 0.5)

    torch._dynamo.reset()
    run = fn if backend is None else torch.compile(fn, backend=backend)
    x = torch.ones(512)
    run(x)
    torch.manual_seed(seed)
    return run(x)


def test_q1_dropout_of_eager_backends_is_that_of_eager_code(key: dict[str, Any]) -> None:
    for backend in ("eager", "aot_eager"):
        assert torch.equal(_dropped(backend), _dropped(None))
    from torch._inductor import config

    assert config.fallback_random is False
    assert key["q1"] == "eager and aot_eager"


@with_inductor
def test_q1_dropout_of_inductor_is_another(key: dict[str, Any]) -> None:
    assert (_dropped("inductor") == _dropped(None)).float().mean() < 0.9


def test_q2_aot_eager_runs_the_same_operators_behind_more_python(key: dict[str, Any]) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    compiled, x = torch.compile(model, backend="aot_eager"), torch.ones(4, 8)
    compiled(x)
    seen: list[str] = []

    class Operators(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    def operators(run: Any) -> list[str]:
        seen.clear()
        with Operators():
            run(x)
        return [name for name in seen if "addmm" in name or "relu" in name]

    def python_calls(run: Any) -> int:
        calls = [0]

        def count(frame: Any, event: str, argument: Any) -> None:
            calls[0] += event == "call"

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            run(x)
        finally:
            sys.setprofile(before)
        return calls[0]

    assert operators(model) == ["aten.addmm.default", "aten.relu.default", "aten.addmm.default"]
    assert python_calls(compiled) > python_calls(model)
    assert "honest null" in key["q2"]


def test_q3_behind_the_limit_calls_run_eagerly_and_others_compiled(key: dict[str, Any]) -> None:
    sizes = [*range(2, 10), 20, 2, 20, 3]
    counted = count_graphs(lambda x: x * 2, [(torch.ones(n),) for n in sizes], dynamic=False)
    assert counted.ran == (1,) * 8 + (0, 1, 0, 1)
    assert counted.graphs == 8
    assert "eagerly" in key["q3"]
    assert "still run compiled" in key["q3"]


def test_q4_eight_a_symbol_one_and_zero(stage: ModuleType, key: dict[str, Any]) -> None:
    calls = [(torch.ones(n),) for n in (8, 9, 1, 10, 0, 1, 9)]
    assert count_graphs(lambda x: x * 3, calls).graphs == key["q4"]
    log = stage.compile_log([(one.numpy(),) for (one,) in calls])
    assert sum(entry["action"] == "compile" for entry in log) == key["q4"]


def test_q5_values_are_not_guarded(key: dict[str, Any]) -> None:
    model, x = nn.Dropout(0.5), torch.ones(3)
    plain = lambda x, flag=True: x * 2 if flag else x * 3  # noqa: E731
    again = {
        "the dtype of a tensor": count_graphs(plain, [(x,), (x.double(),)]).graphs,
        "requires_grad of a tensor": count_graphs(
            plain, [(x,), (torch.ones(3, requires_grad=True),)]
        ).graphs,
        "model.train() to model.eval()": count_graphs(
            model, [(x,), (x,)], before=lambda number: model.train(number == 0)
        ).graphs,
        "the values in a tensor": count_graphs(plain, [(x,), (x * -7,)]).graphs,
        "a bool argument": count_graphs(plain, [(x, True), (x, False)]).graphs,
    }
    assert [change for change, graphs in again.items() if graphs == 1] == [key["q5"]]


def test_q6_the_names_of_the_wrapper_load_nothing(
    torch_stage: ModuleType, key: dict[str, Any]
) -> None:
    def model() -> nn.Module:
        return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))

    trained = torch.compile(model(), backend="eager")
    fresh = model()
    before = {name: value.clone() for name, value in fresh.state_dict().items()}
    with pytest.raises(RuntimeError, match="Missing key"):
        fresh.load_state_dict(trained.state_dict())
    found = fresh.load_state_dict(trained.state_dict(), strict=False)
    assert len(found.missing_keys) == 4
    assert all(torch.equal(before[name], value) for name, value in fresh.state_dict().items())
    assert fresh.load_state_dict(torch_stage.portable_state(trained)).missing_keys == []
    assert key["q6"] == "Nothing is loaded, and no error is raised"


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(("tensor", "graphs"), [(False, "q7"), (True, None)])
def test_q7_a_float_rate_compiles_once_more(
    tensor: bool, graphs: str | None, key: dict[str, Any]
) -> None:
    parameter = nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    rate = torch.tensor(0.1) if tensor else 0.1
    optimizer = torch.optim.AdamW([parameter], lr=rate)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    counted = count_graphs(
        lambda: optimizer.step(),  # noqa: PLW0108 - torch compiles the function, not a method
        [()] * 10,
        before=lambda number: schedule.step() if number else None,
    )
    assert counted.graphs == (key[graphs] if graphs else 1)


@pytest.mark.parametrize("late", [True, False])
def test_q8_a_hook_that_comes_late_is_not_called(late: bool, key: dict[str, Any]) -> None:
    model, x, calls = nn.Sequential(nn.Linear(2, 2), nn.Identity()), torch.ones(1, 2), []
    compiled = torch.compile(model, backend="eager")
    if late:
        compiled(x)
    model[0].register_forward_hook(lambda *_: calls.append(1))
    for _ in range(3):
        compiled(x)
    assert len(calls) == (key["q8"] if late else 3)


def test_q9_the_side_that_is_not_taken_gives_nan(key: dict[str, Any]) -> None:
    x = torch.zeros(3, requires_grad=True)
    length = x.norm()
    torch.where(length > 1, x / length, x).sum().backward()
    assert x.grad is not None
    assert bool(x.grad.isnan().all())
    assert key["q9"] == "NaN"


def test_q10_the_totals_meet_at_ten_thousand(stage: ModuleType, key: dict[str, Any]) -> None:
    # in tenths of a millisecond, so that nothing is rounded
    assert stage.break_even(120_000, 100, 76, compiles=2) == key["q10"]
    assert 2 * 120_000 + key["q10"] * 76 == key["q10"] * 100


def test_q11_a_break_at_the_head_leaves_one_graph(key: dict[str, Any]) -> None:
    def f(x: Any) -> Any:
        print(1)
        return x * 2

    with redirect_stdout(io.StringIO()):
        assert count_graphs(f, [(torch.ones(3),)]).graphs == key["q11"]
        assert first_break(f, torch.ones(3)) != ""


def test_q12_a_number_has_no_gradient(key: dict[str, Any]) -> None:
    def run(divide: Any) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.tensor([1.0, 4.0, 2.0], requires_grad=True)
        y = divide(x)
        y.sum().backward()
        assert x.grad is not None
        return y.detach(), x.grad

    number = run(lambda x: x / x.max().item())
    tensor = run(lambda x: x / x.max())
    detached = run(lambda x: x / x.detach().max())
    assert torch.equal(number[0], tensor[0])
    assert number[0].dtype == tensor[0].dtype
    assert not torch.allclose(number[1], tensor[1])
    assert torch.equal(number[1], detached[1])
    assert key["q12"] == "the gradient"
