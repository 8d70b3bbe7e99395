"""The instrument for graph breaks against counts made by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import pytest
import torch

from grader.instruments.graph_breaks import (
    DETECTORS,
    answers_known_question,
    count_graphs,
    detect,
    failing_guard,
    first_break,
    recompiles_after,
)


def double(x: Any) -> Any:
    return x * 2


def reads(x: Any) -> Any:
    return x * x.sum().item()


def branches(x: Any) -> Any:
    y = x * 2
    if y.sum() > 0:
        return y + 1
    return y - 1


def prints_last(x: Any) -> Any:
    y = x * 2
    print("y")
    return y


def shapes(*sizes: int) -> list[tuple[torch.Tensor]]:
    return [(torch.ones(size),) for size in sizes]


def test_a_second_size_compiles_once_more_and_a_third_does_not() -> None:
    counted = count_graphs(double, shapes(4, 4, 5, 6, 1))
    assert (counted.compiled, counted.ran) == ((1, 0, 1, 0, 1), (1, 1, 1, 1, 1))
    assert (counted.graphs, counted.operators) == (3, 3)


def test_behind_the_limit_nothing_compiled_runs() -> None:
    limit = torch._dynamo.config.recompile_limit
    counted = count_graphs(double, shapes(*range(2, limit + 4), 2), dynamic=False)
    assert counted.ran == (1,) * limit + (0, 0, 1)
    assert counted.graphs == limit


def test_a_mode_may_be_changed_before_each_call() -> None:
    model = torch.nn.Dropout(0.5)
    counted = count_graphs(
        model, shapes(3, 3, 3, 3), before=lambda number: model.train(number % 2 == 0)
    )
    # a Dropout in evaluation mode is an operator too
    assert counted.compiled == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("fn", "blind"),
    [
        (double, set(DETECTORS)),
        (reads, {"fullgraph"}),
        (branches, {"counters"}),
        (prints_last, {"explain", "frames"}),
    ],
)
def test_only_one_detector_sees_every_kind(fn: Callable[..., Any], blind: set[str]) -> None:
    with redirect_stdout(io.StringIO()):
        seen = detect(fn, torch.ones(3))
        reason = first_break(fn, torch.ones(3))
    assert {name for name, sees in seen.items() if not sees} == blind
    assert (reason != "") == seen["error_on_graph_break"]


def test_the_failing_guard_is_named_with_its_numbers() -> None:
    one, other = torch.ones(4, 3), torch.ones(5, 3)
    assert "size mismatch at index 0. expected 4, actual 5" in failing_guard(
        double, (one,), (other,)
    )
    square = torch.arange(9.0).view(3, 3)
    assert "stride mismatch" in failing_guard(double, (square,), (square.t(),))
    assert failing_guard(double, (one,), (torch.zeros(4, 3),)) == ""


def test_recompilations_after_a_warm_up_are_seen() -> None:
    assert not recompiles_after(double, shapes(4, 5, 6, 7), warmup=2)
    assert recompiles_after(double, shapes(4, 5, 1), warmup=2)


def test_what_fn_raises_goes_on() -> None:
    def fails(x: Any) -> Any:
        raise KeyError("its own")

    with pytest.raises(KeyError):
        count_graphs(fails, shapes(3))


def test_a_known_question_is_answered_and_forgets_nothing() -> None:
    counted = []
    torch._dynamo.reset()

    def backend(graph_module: Any, example_inputs: Any) -> Any:
        counted.append(graph_module)
        return graph_module.forward

    compiled = torch.compile(double, backend=backend)
    compiled(torch.ones(3))
    assert answers_known_question()
    compiled(torch.ones(3))
    assert len(counted) == 1


def test_a_patched_compiler_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", lambda fn, **options: fn)
    assert not answers_known_question()
