"""Losses whose backward goes wrong at a known place, and what three detectors see of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from grader.instruments.detectors import Trace, detector_row

Scene = Callable[[dict[str, Any], Trace], Any]


class GivenGradient(torch.autograd.Function):
    """A loss of any value whose gradients are what they are told to be."""

    @staticmethod
    def forward(ctx: Any, value: float, gradients: list[Any], *inputs: Any) -> Any:
        """Return the value."""
        ctx.gradients = gradients
        return inputs[0].new_tensor(value)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """Return the gradients."""
        return None, None, *ctx.gradients


class Broken(torch.autograd.Function):
    """Its backward raises."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Return a copy."""
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """Raise a RuntimeError."""
        raise RuntimeError("the backward itself is broken")


class Poison(torch.autograd.Function):
    """Its backward gives out NaN."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Return a copy."""
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """Return NaN."""
        return gradient * torch.nan


def leaf(case: dict[str, Any], key: str = "x") -> Any:
    """Return an array of the case as a leaf that needs a gradient."""
    return torch.from_numpy(case[key].copy()).requires_grad_()


def _noted(trace: Trace, name: str, value: Any) -> Any:
    trace.append((name, value))
    return value


def _layers(case: dict[str, Any], x: Any, trace: Trace) -> Any:
    """Run linear layers and a root in front of layer ``at``, whose input is 0 at one entry."""
    for number, weight in enumerate(case["weights"]):
        if number == case["at"]:
            x = torch.where(_hit(x, case["entry"]), x * 0, x.abs() + 1)
            x = _noted(trace, f"root {number}", x.sqrt())
        linear = nn.Linear(*weight.shape[::-1], bias=False)
        linear.weight.data = torch.from_numpy(weight)
        x = _noted(trace, f"linear {number}", linear(x).tanh())
    return x


def _hit(x: Any, entry: list[int]) -> Any:
    mask = torch.zeros(x.shape, dtype=torch.bool)
    mask[tuple(entry)] = True
    return mask


def root_at_a_layer(case: dict[str, Any], trace: Trace) -> Any:
    """Infinite gradient of a root at a layer of the case's choice."""
    return _layers(case, leaf(case), trace).sum()


def one_operation(case: dict[str, Any], trace: Trace) -> Any:
    """``sum(op(x))`` for an operation by name."""
    return _noted(trace, case["op"], getattr(torch, case["op"])(leaf(case))).sum()


def one_where(case: dict[str, Any], trace: Trace) -> Any:
    """``where(x > 0, op(x), x)`` without a safe input."""
    x = leaf(case)
    return _noted(trace, "where", torch.where(x > 0, getattr(torch, case["op"])(x), x)).sum()


def masked_attention(case: dict[str, Any], trace: Trace) -> Any:
    """Scores masked with -inf above the diagonal, softmax and values."""
    x = leaf(case)
    keep = torch.ones(len(x), len(x), dtype=torch.bool).tril()
    scores = _noted(trace, "scores", (x @ x.T).masked_fill(~keep, -torch.inf))
    return _noted(trace, "values", scores.softmax(-1) @ x).sum()


def linear_after_log(case: dict[str, Any], trace: Trace) -> Any:
    """A linear layer whose data is the logarithm of numbers, some negative; then a tanh, or not."""
    torch.manual_seed(case.get("seed", 0))
    x = torch.from_numpy(case["x"])
    linear = nn.Linear(x.shape[-1], case["out"])
    logs = _noted(trace, "log", x.log())
    out = _noted(trace, "linear", linear(logs))
    return (_noted(trace, "tanh", out.tanh()) if case["tanh"] else out).sum()


def growing_gradient(case: dict[str, Any], trace: Trace) -> Any:
    """Factors whose product is finite for tiny values, and too large for their gradient."""
    x = leaf(case)
    for number, factor in enumerate(case["factors"]):
        x = _noted(trace, f"times {number}", x * factor)
    return x.sum()


def two_branches(case: dict[str, Any], trace: Trace) -> Any:
    """A branch whose gradient is too large, then one of many nodes; their sum, on either side."""
    x = leaf(case)
    large = x * 1e20
    other = x
    for _ in range(case["times"]):
        other = other * 2
    sum_of_both = large + other if case["first"] else other + large
    return (_noted(trace, "sum", sum_of_both) * 1e20).sum()


def used_twice(case: dict[str, Any], trace: Trace) -> Any:
    """Two finite gradients of one value whose sum overflows."""
    x = leaf(case)
    value = x.exp() if case["inner"] else x
    return _noted(trace, "sum", value * 3e38 + value * 3e38).sum()


def weighted_root(case: dict[str, Any], trace: Trace) -> Any:
    """Roots whose gradients are multiplied by weights of the case."""
    return (_noted(trace, "root", leaf(case).sqrt()) * torch.from_numpy(case["weights"])).sum()


def quotient(case: dict[str, Any], trace: Trace) -> Any:
    """One leaf over another."""
    return _noted(trace, "quotient", leaf(case) / leaf(case, "y")).sum()


def one_part(case: dict[str, Any], trace: Trace) -> Any:
    """A value that is split, of which one part is used alone: the other has no gradient."""
    return _noted(trace, "part", leaf(case).split(1)[0].exp()).sum()


def doublings(case: dict[str, Any], trace: Trace) -> Any:
    """A graph with 2 ** times paths, and one root at 0 at its end."""
    x = leaf(case).sqrt() if case["bad"] else leaf(case)
    for _ in range(case["times"]):
        x = (x + x) * 0.5
    return x.sum()


def deep(case: dict[str, Any], trace: Trace) -> Any:
    """A chain of many nodes, with a root at 0 as its last one."""
    x = leaf(case).sqrt()
    for _ in range(case["times"]):
        x = x + 1
    return x.sum()


def without_graph(case: dict[str, Any], trace: Trace) -> Any:
    """A loss that nothing with a gradient went into."""
    return torch.from_numpy(case["x"]).sum()


def broken(case: dict[str, Any], trace: Trace) -> Any:
    """A backward that raises."""
    return Broken.apply(leaf(case)).sum()


def soft_cross_entropy(case: dict[str, Any], trace: Trace) -> Any:
    """A loss without a fault."""
    x = leaf(case)
    return F.cross_entropy(_noted(trace, "x", x), torch.zeros(len(x), dtype=torch.long))


SCENES: dict[str, Scene] = {
    scene.__name__: scene
    for scene in (
        root_at_a_layer, one_operation, one_where, masked_attention, linear_after_log,
        growing_gradient, used_twice, doublings, deep, without_graph, broken,
        soft_cross_entropy, weighted_root, quotient, one_part, two_branches,
    )
}  # fmt: skip


def live_detectors(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a scene under the three detectors; return what each saw, and the record."""
    row = detector_row(lambda trace: SCENES[case["scene"]](case, trace), case.get("allow", ()))
    return {
        "seen": {"forward": row.forward, "anomaly": row.anomaly, "node": row.node},
        "trace": [[name, value] for name, value in row.trace],
        "nodes": [
            {"name": run.name, "incoming": list(run.incoming), "outgoing": list(run.outgoing)}
            for run in row.nodes
        ],
    }
