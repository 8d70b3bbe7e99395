"""8.3.m, o and p: who owns bytes, second tries, and the closed-book task."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

# 8.3.m state_bytes


def owned(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return what the function says about one of a few states, and what the state is made of."""
    model, optimizer, batch = _STATES[case["kind"]](case)
    arguments = [model] if case.get("alone") else [model, optimizer, batch]
    return {"value": stage.state_bytes(*arguments)}


def _trained(model: Any, make: Any) -> Any:
    """Return an optimizer that has made a step."""
    import torch

    optimizer = make([p for p in model.parameters() if p.requires_grad])
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    return optimizer


def _plain(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return two linears after a step of AdamW, and a batch."""
    import torch
    from torch import nn

    a, b, c, rows = case["a"], case["b"], case["c"], case["rows"]
    model = nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, c))
    optimizer = _trained(model, torch.optim.AdamW)
    return model, optimizer, (torch.zeros(rows, a), torch.zeros(rows, dtype=torch.long))


def _fresh(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return the same before any step, without a batch."""
    import torch
    from torch import nn

    model = nn.Linear(case["a"], case["b"])
    return model, torch.optim.AdamW(model.parameters()), ()


def _tied(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return a model whose output layer has the weight of its embedding, as two parameters."""
    import torch
    from torch import nn

    a, b = case["a"], case["b"]
    model = nn.ModuleDict({"token": nn.Embedding(a, b), "head": nn.Linear(b, a, bias=False)})
    if case["shared"] == "the parameter":
        model["head"].weight = model["token"].weight
    else:  # two parameters on one storage
        model["head"].weight = nn.Parameter(model["token"].weight.detach())
    model["head"].weight.grad = torch.zeros(a, b)
    return model, None, ()


def _views(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return a batch of views: slices, a transpose, an expanded tensor, nested in odd ways."""
    import torch
    from torch import nn

    a, rows = case["a"], case["rows"]
    table = torch.zeros(rows, a)
    lonely = torch.zeros(rows, a)[0]  # one row holds its whole table
    number = torch.zeros(1).expand(4099)
    batch = {"x": [table[:2], table.t(), (table[1:],)], "row": lonely, "name": "text", "n": 3,
             "nothing": None, "number": number, "empty": torch.zeros(0, a)}  # fmt: skip
    return nn.Linear(a, 1, bias=False), None, batch


def _buffers(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return a frozen layer, a norm with buffers, a mask that is not saved, and a shared batch."""
    import torch
    from torch import nn

    a, rows = case["a"], case["rows"]
    model = nn.Sequential(nn.Linear(a, a), nn.BatchNorm1d(a))
    model[0].requires_grad_(requires_grad=False)
    model.register_buffer("mask", torch.ones(rows, rows), persistent=False)
    model[1].weight.grad = torch.zeros(a)
    return model, None, [model.mask, model[0].weight, torch.zeros(rows)]


def _other_optimizers(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return a linear under another optimizer, or with a state that is nested."""
    import torch
    from torch import nn

    model = nn.Linear(case["a"], case["b"])
    if case["optimizer"] == "momentum":
        return model, _trained(model, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)), ()
    if case["optimizer"] == "amsgrad":
        return model, _trained(model, lambda p: torch.optim.AdamW(p, amsgrad=True)), ()
    optimizer = _trained(model, lambda p: torch.optim.SGD(p, lr=0.1))
    for parameter in model.parameters():
        history = {"old": [torch.zeros_like(parameter), (torch.zeros_like(parameter),)]}
        optimizer.state[parameter] = {"history": history, "count": 7}
    return model, optimizer, ()


_STATES = {
    "plain": _plain,
    "fresh": _fresh,
    "tied": _tied,
    "views": _views,
    "buffers": _buffers,
    "other": _other_optimizers,
}

# 8.3.o first_fit


class Big:
    """Stands for the tensors of an attempt."""

    error: BaseException | None = None


def fitted(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Try sizes of which some do not fit; return what was tried, and what was alive at each try."""
    import torch

    alive: list[weakref.ref[Any]] = []
    tries: list[dict[str, Any]] = []

    taken: list[int] = []

    def one_by_one() -> Iterator[int]:
        for size in case["sizes"]:
            taken.append(size)
            yield size

    def fail(kind: str) -> None:
        if kind == "torch":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        if kind == "memory":
            raise MemoryError
        if kind == "text":
            raise RuntimeError("DefaultCPUAllocator: not enough memory: Out Of Memory")
        if kind == "shape":
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
        if kind == "key":
            raise KeyError("out of memory")

    def attempt(size: int) -> Any:
        living = sum(ref() is not None for ref in alive)
        tries.append({"size": size, "alive": living, "taken": len(taken)})
        big = Big()
        alive.append(weakref.ref(big))
        try:
            fail(case["fails"].get(str(size), ""))
        except Exception as error:
            if case.get("cycle"):
                big.error = error
            raise
        return None if case.get("nothing") else [size, "fits"]

    gc.disable()  # an exception in a cycle would only be gone by chance
    sizes = one_by_one() if case["once"] else list(case["sizes"])
    answer: dict[str, Any] = {"raised": [], "held": 0}
    try:
        answer["value"] = stage.first_fit(attempt, sizes)
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        answer["raised"] = [kind.__name__ for kind in type(error).__mro__]
        if isinstance(error, MemoryError):
            answer["held"] = sum(ref() is not None for ref in alive)
    finally:
        gc.enable()
    return {**answer, "tries": tries}


# 8.3.p closed_book_memory


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book task; count the updates and look at what was alive at most."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    from grader.instruments.live_bytes import LiveBytes

    updates = [0]

    def count(optimizer: Any, *arguments: Any) -> None:
        updates[0] += isinstance(optimizer, torch.optim.AdamW)

    hook = register_optimizer_step_post_hook(count)
    ledger = LiveBytes()
    try:
        with ledger:
            answer = stage.closed_book_memory(list(case["widths"]), case["batch"])
    finally:
        hook.remove()
    return {"answer": answer, "updates": updates[0], "peak": ledger.peak}
