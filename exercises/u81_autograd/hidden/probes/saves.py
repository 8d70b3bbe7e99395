"""Probes of 8.1.g and 8.1.l: what a forward saves, seen by the student and by the instrument."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .models import mlp


@dataclass(frozen=True, slots=True)
class Workload:
    """A function without arguments that returns a tensor with a graph, and what it works on."""

    fn: Callable[[], Any]
    params: list[Any]
    inputs: list[Any]


def _mlp(case: dict[str, Any]) -> Workload:
    import torch

    dtype = case.get("dtype", "float32")
    model = mlp(case["widths"], case.get("frozen", ()), dtype)
    x = torch.randn(case["batch"], case["widths"][0], dtype=getattr(torch, dtype))
    x.requires_grad_(case.get("input_grad", False))
    return Workload(lambda: model(x), list(model.parameters()), [x])


def _norm(case: dict[str, Any]) -> Workload:
    """LayerNorm saves its parameter itself, Linear and einsum a view of it."""
    import torch
    from torch import nn

    n, b = case["width"], case["batch"]
    model = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.LayerNorm(2 * n))
    last = nn.Parameter(torch.randn(2 * n, n))
    x = torch.randn(b, n)
    return Workload(
        lambda: torch.einsum("bi,ij->bj", model(x), last), [*model.parameters(), last], [x]
    )


def _tied(case: dict[str, Any]) -> Workload:
    import torch
    from torch import nn

    layer = nn.Linear(case["width"], case["width"])
    x = torch.randn(case["batch"], case["width"])
    return Workload(lambda: layer(layer(x).tanh()), list(layer.parameters()), [x])


def _slices(case: dict[str, Any]) -> Workload:
    """Slices of a buffer that is no input and of one that is, in different shapes."""
    import torch

    n = case["width"]
    buffer, data = torch.randn(50, n), torch.randn(40, n)
    w = torch.randn(n, requires_grad=True)

    def fn() -> Any:
        parts = (w * buffer[2:4], w * buffer[10], w * data[:2], w * data.t()[:, 5:8].t())
        return sum(part.sum() for part in parts)

    return Workload(fn, [w], [data])


def _classes(case: dict[str, Any]) -> Workload:
    import torch

    z = torch.randn(case["batch"], case["width"], requires_grad=True)
    labels = torch.zeros(case["batch"], dtype=torch.int64)
    return Workload(lambda: torch.nn.functional.cross_entropy(z.exp(), labels), [], [z, labels])


def _dropout(case: dict[str, Any]) -> Workload:
    """A dropout in training, on the device of the case."""
    import torch

    z = torch.randn(case["batch"], case["width"], device=case["device"], requires_grad=True)
    return Workload(lambda: torch.nn.functional.dropout(z, 0.25), [], [z])


def _dropped(case: dict[str, Any]) -> Workload:
    """Graphs that die while the function runs, and hand their address on."""
    import torch

    a = torch.randn(case["width"], requires_grad=True)

    def fn() -> Any:
        for _ in range(20):
            a.exp().sum()
        return a.tanh().sum()

    return Workload(fn, [], [a])


def _no_grad(case: dict[str, Any]) -> Workload:
    import torch

    inner = _mlp({"widths": [4, 5, 3], "batch": 6})

    def fn() -> Any:
        with torch.no_grad():
            return inner.fn()

    return Workload(fn, inner.params, inner.inputs)


def _smooth(case: dict[str, Any]) -> Workload:
    """Operators that save outputs, inputs, both and neither, in float64 for second derivatives."""
    import torch

    a = torch.randn(case["width"], dtype=torch.float64, requires_grad=True)
    b = torch.randn(case["width"], dtype=torch.float64, requires_grad=True)

    def fn() -> Any:
        return (a.exp() * b.sigmoid() + (a * b).tanh() / (b * b + 2)).sum()

    return Workload(fn, [b], [a])


def _edited(case: dict[str, Any]) -> Workload:
    """A saved tensor is edited in place after it was saved, before it was saved, or not at all."""
    import torch

    a = torch.randn(case["width"], requires_grad=True)

    def fn() -> Any:
        h = a * 2
        for _ in range(case["before"]):
            h.add_(1)
        y = h.exp() if case["saves"] == "output" else h.sin()
        result = y.sum()
        for _ in range(case["after"]):
            (y if case["saves"] == "output" else h).mul_(2)
        return result

    return Workload(fn, [a], [])


_WORKLOADS: dict[str, Callable[[dict[str, Any]], Workload]] = {
    "mlp": _mlp,
    "norm": _norm,
    "tied": _tied,
    "slices": _slices,
    "classes": _classes,
    "dropout": _dropout,
    "dropped": _dropped,
    "no_grad": _no_grad,
    "smooth": _smooth,
    "edited": _edited,
}


def _workload(case: dict[str, Any]) -> Workload:
    import torch

    torch.manual_seed(case.get("seed", 0))
    return _WORKLOADS[case["kind"]](case)


def _given(tensors: list[Any], how: str) -> Any:
    """Return tensors as a list, a tuple or something that can be gone through once."""
    return {"list": list, "tuple": tuple, "once": iter}[how](tensors)


def reported(stage: Any, case: dict[str, Any]) -> Any:
    """Report on a workload; return the report alone."""
    work = _workload(case)
    how = case.get("given", "list")
    inputs = [*work.inputs, *work.params] if case.get("params_too") else work.inputs
    result = stage.saved_report(work.fn, _given(work.params, how), _given(inputs, how))
    return result[1] if isinstance(result, tuple | list) and len(result) == 2 else None


def instrumented(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return what the instrument sees of the same workload: storages, and bytes by kind."""
    from grader.instruments.saved_tensors import saved_bytes, saved_tensors

    work = _workload(case)
    everything = saved_bytes(work.fn)
    no_params = saved_bytes(work.fn, work.params)
    rest = saved_bytes(work.fn, [*work.params, *work.inputs])
    return {
        "storages": [[s.size, list(s.shape), s.dtype, s.times] for s in saved_tensors(work.fn)],
        "bytes": {
            "parameter": everything - no_params,
            "input": no_params - rest,
            "activation": rest,
        },
    }


def watched_run(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a workload with and without a report; compare bits, live bytes, errors and hooks."""
    return _RUNS[case["run"]](stage, case)


def _bits(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Compare output, gradients (twice, on a kept graph) and second derivatives, bit for bit."""
    import torch

    found: list[list[Any]] = []
    returned: list[Any] = []
    for watched in (False, True):
        work = _workload(case)

        def fn(work: Workload = work) -> Any:
            returned.append(work.fn())
            return returned[-1]

        output = stage.saved_report(fn, work.params, work.inputs)[0] if watched else fn()
        leaves = [t for t in (*work.params, *work.inputs) if t.requires_grad]
        once = torch.autograd.grad(output, leaves, retain_graph=True)
        again = torch.autograd.grad(output, leaves, create_graph=True)
        second = torch.autograd.grad(sum(g.square().sum() for g in again), leaves)
        found.append([output, *once, *again, *second])
    names = ["output"] + [
        f"gradient {number}" if kind != "second" else f"second derivative {number}"
        for kind in ("first", "again", "second")
        for number in range(len(leaves))
    ]
    different = [
        name for name, one, other in zip(names, *found, strict=True) if not torch.equal(one, other)
    ]
    own = output is returned[-1]
    return {"different": different, "runs": len(returned) - 1, "own": own}


def _alive(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Follow the live bytes: with the graph, and after it is gone, and a pass of the collector."""
    from grader.instruments.live_bytes import LiveBytes

    found = {}
    for name in ("bare", "watched"):
        with LiveBytes() as ledger:
            work = _workload(case)
            before = ledger.live
            if name == "bare":
                output = work.fn()
                kept = None
            else:
                output, kept = stage.saved_report(work.fn, work.params, work.inputs)
            with_graph = ledger.live - before
            if case["backward"]:
                output.sum().backward()
                for tensor in (*work.params, *work.inputs):
                    tensor.grad = None
            del output
            gc.collect()  # rings of Python objects are no leak; one through a node is
            found[name] = [with_graph, ledger.live - before]
            del kept
    return found


class _OwnError(Exception):
    """Raised by a workload of the probe alone."""


def _raising(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hand in a function that raises; say what came out, and whether saving is seen afterwards."""
    import torch

    from grader.instruments.saved_tensors import saved_tensors

    work = _workload(case)
    error = _OwnError("what the function raises")

    def fn() -> Any:
        work.fn()
        raise error

    passed = False
    try:
        stage.saved_report(fn, work.params, work.inputs)
    except _OwnError as caught:
        passed = caught is error
    a = torch.zeros(8, requires_grad=True)
    y = a.exp()
    plain = y.grad_fn._saved_result
    same = plain.untyped_storage()._cdata == y.untyped_storage()._cdata
    y.sum().backward()
    y = a.exp()
    total = y.sum()
    y.add_(1)
    noticed = False
    try:
        total.backward()
    except RuntimeError as found:
        noticed = "inplace operation" in str(found) and "anomaly" in str(found)
    seen = len(saved_tensors(lambda: a.exp() + 0, [a]))
    return {"passed": passed, "hooks_off": noticed and same and seen == 1}


def _versions(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the backward of a workload that edits in place; say whether it is refused."""
    work = _workload(case)
    output, _ = stage.saved_report(work.fn, work.params, work.inputs)
    try:
        output.backward()
    except RuntimeError:
        return {"refused": True, "equal": False}
    got = work.params[0].grad
    if got is None:
        return {"refused": False, "equal": False}
    plain = _workload(case)
    plain.fn().backward()
    return {"refused": False, "equal": bool((got == plain.params[0].grad).all())}


_RUNS = {"bits": _bits, "alive": _alive, "raising": _raising, "versions": _versions}


def closed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book task; return its answer and the products that really ran."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    shapes: list[list[list[int]]] = []

    class Products(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func.overloadpacket in (torch.ops.aten.addmm, torch.ops.aten.mm):
                shapes.append([list(a.shape) for a in args if isinstance(a, torch.Tensor)][-2:])
            return func(*args, **(kwargs or {}))

    with Products():
        answer = stage.closed_book(case["widths"], case["batch"])
    return {"answer": answer, "products": shapes, "hooked": _needs_hooks(stage, case)}


def _needs_hooks(stage: Any, case: dict[str, Any]) -> bool:
    """Whether the closed-book task fails where hooks for saved tensors are forbidden."""
    import torch

    with torch.autograd.graph.disable_saved_tensors_hooks("hooks are forbidden"):
        try:
            stage.closed_book(case["widths"], case["batch"])
        except RuntimeError:
            return True
    return False
