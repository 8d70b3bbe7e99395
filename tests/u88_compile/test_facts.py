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
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * (self.calls / 10)

    def gradient(module: nn.Module, backend: str) -> float:
        torch._dynamo.reset()
        x = torch.ones(2, requires_grad=True)
        torch.compile(module, backend=backend)(x).sum().backward()
        assert x.grad is not None
        return round(float(x.grad[0]), 4)

    assert gradient(InPlace(), "eager") == 0.1
    assert gradient(InPlace(), "aot_eager") == 0.2
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


def test_an_int_of_a_module_is_never_promoted_and_a_buffer_needs_one_graph(
    torch_stage: ModuleType,
) -> None:
    calls = [(torch.ones(3),)] * 12
    assert count_graphs(torch_stage.FaultyWarmup(5), calls).graphs == 8
    assert count_graphs(torch_stage.make_warmup(5), calls).graphs == 1
