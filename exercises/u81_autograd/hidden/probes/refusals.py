"""Probes of 8.1.i: backwards that autograd refuses, sound ones, and other errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _StopTraining(RuntimeError):
    """An error of the workload's own, of a class below RuntimeError."""


def _twice(loss: Any, **options: Any) -> None:
    loss.backward(**options)
    loss.backward()


def _refusals(case: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Return functions whose backward autograd refuses, by a name."""
    import torch
    from torch import nn

    before, after = case.get("before", 0), case.get("after", 1)
    a = torch.ones(3, requires_grad=True)

    class Powers(torch.autograd.Function):
        """A node with twelve outputs, of which it saves one."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            powers = tuple(x**n for n in range(12))
            ctx.save_for_backward(powers[case["place"]])
            return powers

        @staticmethod
        def backward(ctx: Any, *g: Any) -> Any:
            return sum(g) * ctx.saved_tensors[0]

    def edited(h: Any, y: Any) -> None:
        """Edit y after something saved it."""
        loss = y.sum() if h is None else (h * y).sum()
        for _ in range(after):
            y.add_(1)
        loss.backward()

    def made(make: Callable[[Any], Any]) -> Callable[[], Any]:
        def run() -> None:
            h = a * 2
            for _ in range(before):
                h.add_(1)
            edited(None, make(h))

        return run

    def sine() -> None:
        h = a * 2
        for _ in range(before):
            h.mul_(1.5)
        loss = h.sin().sum()
        for _ in range(after):
            h.mul_(2)
        loss.backward()

    def data_edited() -> None:
        edited(a, torch.ones(3))

    def shared() -> None:
        trunk = a.exp()
        trunk.sum().backward()
        (trunk * 2).sum().backward()

    def peeked() -> None:
        y = a.exp()
        y.sum().backward()
        y.grad_fn._saved_result  # noqa: B018 - looking is what is refused

    def inferred() -> Any:
        with torch.inference_mode():
            return torch.ones(3)

    def no_grad() -> None:
        with torch.no_grad():
            loss = a.exp().sum()
        loss.backward()

    def frozen() -> None:
        nn.Linear(3, 2).requires_grad_(False)(torch.ones(1, 3)).sum().backward()

    return {
        "freed": lambda: _twice(a.exp().sum()),
        "freed, a shared trunk": shared,
        "freed, looked at": peeked,
        "version of an output": made(torch.exp),
        "version of another output": made(torch.sigmoid),
        "version of a second output": made(lambda h: torch.linalg.qr(h.diag())[1]),
        "version of one of twelve outputs": made(lambda h: Powers.apply(h)[case["place"]]),
        "version of an input": sine,
        "version of data": data_edited,
        "inference": lambda: (a * inferred()).sum().backward(),
        "inference, made a leaf": lambda: inferred().requires_grad_().sum().backward(),
        "inference, edited": lambda: (a * inferred().add_(1)).sum().backward(),
        "no_graph": no_grad,
        "no_graph, frozen": frozen,
        "no_graph, detached": lambda: a.exp().detach().sum().backward(),
    }


def _no_refusals() -> dict[str, Callable[[], Any]]:
    """Return functions that autograd does not refuse: sound ones, and ones that err otherwise."""
    import torch

    a = torch.ones(3, requires_grad=True)

    def unsaved_edited() -> None:
        z = a * 2
        loss = z.relu().sum()
        z.add_(1)
        loss.backward()

    def data_hidden() -> None:
        h = a.exp()
        loss = h.sum()
        h.data.add_(1)
        loss.backward()

    def raising(error: Exception) -> Callable[[], Any]:
        def run() -> None:
            raise error

        return run

    def leaf_edited() -> None:
        a.add_(1)

    def product_of_odd_shapes() -> None:
        (a @ torch.ones(4)).backward()

    return {
        "ok": lambda: a.exp().sum().backward(),
        "ok, kept": lambda: _twice(a.exp().sum(), retain_graph=True),
        "ok, nothing saved": lambda: _twice((a + 1).sum()),
        "ok, edited but not saved": unsaved_edited,
        "ok, edited behind its back": data_hidden,
        "shapes": product_of_odd_shapes,
        "not a scalar": lambda: a.exp().backward(),
        "leaf edited": leaf_edited,
        "another type": raising(
            ValueError("modified by an inplace operation; does not require grad and does not have")
        ),
        "a third type": raising(KeyError("backward through the graph a second time")),
        "a class of its own": raising(_StopTraining("the loss is NaN, the graph is freed")),
        "no text": raising(RuntimeError()),
    }


def diagnosed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the student diagnose one function; say how often it ran, and what came out of it."""
    fn = {**_refusals(case), **_no_refusals()}[case["name"]]
    runs, errors = 0, []

    def counted() -> Any:
        nonlocal runs
        runs += 1
        try:
            return fn()
        except Exception as error:
            errors.append(error)
            raise

    seen: dict[str, Any] = {"answer": None, "raised": "", "same": False}
    try:
        seen["answer"] = stage.diagnose_backward(counted)
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        seen["raised"] = type(error).__name__
        seen["same"] = bool(errors) and error is errors[0]
    return seen | {"runs": runs}
