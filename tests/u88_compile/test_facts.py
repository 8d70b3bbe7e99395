"""Facts about torch that unit 8.8 rests on; each is named where a release changes it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from grader.instruments.graph_breaks import count_graphs


def test_aot_eager_reads_a_counter_that_is_changed_in_place_too_late(
    torch_stage: ModuleType,
) -> None:
    """pytorch/pytorch#197039 is about this: the lesson says that 2.13 does it, without an error."""

    class InPlace(nn.Module):
        def __init__(self, clone: str = "") -> None:
            super().__init__()
            self.clone = clone
            self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

        def forward(self, x: Any) -> Any:
            before = self.calls.clone()
            self.calls += 1
            count = before + 1 if self.clone == "before" else self.calls
            return x * ((count.clone() if self.clone == "after" else count) / 10)

    def gradient(module: nn.Module, backend: str) -> float:
        torch._dynamo.reset()
        x = torch.ones(2, requires_grad=True)
        torch.compile(module, backend=backend)(x).sum().backward()
        assert x.grad is not None
        return round(float(x.grad[0]), 4)

    assert gradient(InPlace(), "eager") == 0.1
    for clone in ("", "before", "after"):
        assert gradient(InPlace(clone), "aot_eager") == 0.2
    found = torch_stage.compare(InPlace(), torch.ones(2, 3), "aot_eager")
    assert found["failed"] == ["train gradients", "eval gradients"]
    assert gradient(torch_stage.make_warmup(10), "aot_eager") == 0.1


def test_a_disabled_hook_does_not_take_the_module_with_it() -> None:
    """pytorch/pytorch#142358, fixed in the release of the course."""
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model.register_forward_hook(torch.compiler.disable(lambda *_: None))
    graphs = []

    def backend(graph_module: Any, example_inputs: Any) -> Any:
        graphs.append(sum(node.op.startswith("call") for node in graph_module.graph.nodes))
        return graph_module.forward

    model.compile(backend=backend)
    model(torch.ones(1, 2))
    assert sum(graphs) == 2


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_a_schedule_that_cycles_the_momentum_compiles_again() -> None:
    """A rate in a tensor does not help where another float of the optimizer changes."""
    parameter = nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    optimizer = torch.optim.AdamW([parameter], lr=torch.tensor(0.1))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)
    counted = count_graphs(
        lambda: optimizer.step(),  # noqa: PLW0108 - torch compiles the function, not a method
        [()] * 6,
        before=lambda number: schedule.step() if number else None,
    )
    assert counted.graphs == 2


def test_a_float_is_promoted_wherever_it_stands_and_an_int_of_a_module_is_not() -> None:
    kept: dict[str, Any] = {}
    groups = [kept]

    class Module(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * self.rate

    def read(x: Any) -> Any:
        return x * groups[0]["rate"]

    def graphs(fn: Any, values: list[Any], argument: bool = False) -> int:
        def before(number: int) -> None:
            kept["rate"] = module.rate = values[number]

        calls = [(torch.ones(3), value) if argument else (torch.ones(3),) for value in values]
        return count_graphs(fn, calls, before=before).graphs

    module = Module()
    floats, ints = [2 + n / 8 for n in range(12)], list(range(2, 14))
    times = lambda x, n: x * n  # noqa: E731
    assert [graphs(times, floats, True), graphs(module, floats), graphs(read, floats)] == [2, 2, 2]
    assert [graphs(times, ints, True), graphs(module, ints)] == [2, 8]


def test_an_int_of_a_module_is_never_promoted_and_a_buffer_needs_one_graph(
    torch_stage: ModuleType,
) -> None:
    calls = [(torch.ones(3),)] * 12
    assert count_graphs(torch_stage.FaultyWarmup(5), calls).graphs == 8
    assert count_graphs(torch_stage.make_warmup(5), calls).graphs == 1
