"""Probes of 8.1.f: graphs of known build, counted by the student and by a walk of another kind."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .models import mlp


def _mlp(case: dict[str, Any], leaves: list[Any]) -> Any:
    import torch

    model = mlp(case["widths"], case.get("frozen", ()))
    leaves += model.parameters()
    x = torch.ones(3, case["widths"][0])
    leaves.append(x)
    return torch.nn.functional.cross_entropy(model(x), torch.zeros(3, dtype=torch.int64))


def _squares(case: dict[str, Any], leaves: list[Any]) -> Any:
    h = leaves[0].exp()
    for _ in range(case["count"]):
        h = h * h
    return h


def _chain(case: dict[str, Any], leaves: list[Any]) -> Any:
    h = leaves[0]
    for _ in range(case["count"]):
        h = h + 1
    return h


def _arms(case: dict[str, Any], leaves: list[Any]) -> Any:
    """A short arm and a long one from the same node; the long one comes first or last."""
    short = long = leaves[0].exp()
    for _ in range(case["count"]):
        long = long.sin()
    return long * short if case["long_first"] else short * long


def _custom(case: dict[str, Any], leaves: list[Any]) -> Any:
    import torch

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, power: int) -> Any:
            ctx.save_for_backward(x)
            return x**power

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 3 * g * ctx.saved_tensors[0] ** 2, None

    return Cube.apply(leaves[0], 3).sum()


def _plain(case: dict[str, Any], leaves: list[Any]) -> Any:
    import torch

    return leaves[0] if case["leaf"] else torch.ones(2)


def _apart(case: dict[str, Any], leaves: list[Any]) -> Any:
    """Two graphs that share one leaf, beside a leaf and a constant."""
    import torch

    other = torch.ones(4, requires_grad=True)
    leaves.append(other)
    return (leaves[0].exp().sum(), (leaves[0] * other).sin(), other, torch.ones(1))


def _inner(case: dict[str, Any], leaves: list[Any]) -> Any:
    """A graph with a node of two outputs, given by outputs of which some lie inside it."""
    h = leaves[0].exp().sin()
    left, right = h.chunk(2)
    made = {"h": h, "left": left, "right": right, "loss": (left * right).sum()}
    return [made[name] for name in case["outputs"]]


_BUILDS: dict[str, Callable[[dict[str, Any], list[Any]], Any]] = {
    "mlp": _mlp,
    "squares": _squares,
    "chain": _chain,
    "arms": _arms,
    "custom": _custom,
    "plain": _plain,
    "apart": _apart,
    "inner": _inner,
}


def counted(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the student count a graph; say what is alive when it is gone, and if it still works."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    with LiveBytes() as ledger:
        leaves = [torch.zeros(4, requires_grad=True)]
        outputs = _BUILDS[case["kind"]](case, leaves)
        built = ledger.live
        answer = stage.graph_nodes(outputs)
        added = ledger.live - built
        first = outputs[0] if isinstance(outputs, list | tuple) else outputs
        if case.get("backward"):
            first.sum().backward()
            for leaf in leaves:
                leaf.grad = None
        del outputs, first
        gc.collect()  # a walk may leave rings of Python objects, which is no leak
        kept = sum(leaf.untyped_storage().nbytes() for leaf in leaves)
        left = ledger.live - kept
    return {"answer": answer, "added": added, "left": left}


def nodes_below(outputs: Iterable[Any]) -> set[Any]:
    """Return the nodes of the graphs of some tensors, level by level."""
    seen = {output.grad_fn for output in outputs} - {None}
    front = set(seen)
    while front:
        front = {source for node in front for source, _ in node.next_functions if source} - seen
        seen |= front
    return seen


def counted_truth(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the same graph by peeling: nodes without sources first, then what rests on them."""
    import torch

    outputs = _BUILDS[case["kind"]](case, [torch.zeros(4, requires_grad=True)])
    seen = nodes_below(outputs if isinstance(outputs, list | tuple) else [outputs])
    left, depth = set(seen), 0
    while left:
        depth += 1
        left -= {n for n in left if not any(s in left for s, _ in n.next_functions)}
    names = Counter(node.name().split("::")[-1] for node in seen)
    return {
        "nodes": len(seen),
        "leaves": names["AccumulateGrad"],
        "names": dict(names),
        "depth": depth,
    }
