"""Probes of 8.5.k, 8.5.l and 8.5.p: counts, the guarded step, and guard tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from grader.instruments.host_syncs import HostSyncs

from .scenes import GivenGradient

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


class Waits(HostSyncs):
    """Counts syncs, but not those on what was brought to the host already.

    On a CPU `.cpu()` gives the tensor itself; whatever shares its memory is on the host from then
    on, and reading it is free. Such tensors are kept alive: another one in the place of a freed one
    would pass for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._host: dict[int, torch.Tensor] = {}

    def __torch_function__(
        self, func: Any, types: Iterable[type], args: Any = (), kwargs: Any = None
    ) -> Any:
        """Note the call if it waits, then make it."""
        name = getattr(func, "__name__", "")
        tensor = args[0] if args and isinstance(args[0], torch.Tensor) else None
        at_hand = tensor is not None and tensor.untyped_storage().data_ptr() in self._host
        to_host = name == "cpu" or (name == "to" and _names_the_host(args[1:], kwargs or {}))
        if at_hand or (to_host and name == "to"):
            if to_host and not at_hand:
                super().__torch_function__(torch.Tensor.cpu, types, args[:1])
            result = func(*args, **(kwargs or {}))
        else:
            result = super().__torch_function__(func, types, args, kwargs)
        if (to_host or at_hand) and isinstance(result, torch.Tensor):
            self._host[result.untyped_storage().data_ptr()] = result
        return result


def _names_the_host(args: Any, kwargs: dict[str, Any]) -> bool:
    return any(str(item) == "cpu" for item in (*args, *kwargs.values()))


def counted(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bad entries of tensors of several dtypes and layouts, and the waits."""
    tensors = _tensors(case)
    names = list(tensors)
    before = [None if t is None else t.clone() for t in tensors.values()]
    waits = Waits()
    with waits:
        counts = stage.nonfinite_counts(tensors)
    order = list(counts) if isinstance(counts, dict) else None
    kept = list(tensors) == names and all(
        (now is None and old is None) or bool(((now == old) | (now != now)).all())  # noqa: PLR0124
        for now, old in zip(tensors.values(), before, strict=True)
    )
    return {"counts": counts, "order": order, "waits": [s.name for s in waits.seen], "kept": kept}


def _tensors(case: dict[str, Any]) -> dict[str, Any]:
    """Return the named tensors of a case."""
    tensors: dict[str, Any] = {}
    for name, array, form in case["tensors"]:
        if array is None:
            tensors[name] = None
            continue
        tensor = torch.from_numpy(array)
        tensor = tensor.to(DTYPES[form]) if form in DTYPES else tensor
        if form == "transposed":
            tensor = tensor.t()
        tensors[name] = nn.Parameter(tensor) if form == "parameter" else tensor
    return tensors


def counted_on_a_device(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bad entries of tensors on a CUDA device, and the waits that PyTorch reports."""
    tensors = {name: tensor.detach().cuda() for name, tensor in _tensors(case).items()}
    torch.cuda.synchronize()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            counts = stage.nonfinite_counts(tensors)
        finally:
            torch.cuda.set_sync_debug_mode("default")
    waits = sum("synchronizing" in str(item.message) for item in caught)
    return {"counts": counts, "waits": waits}


# 8.5.l guarded_step


def guarded(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take guarded steps with gradients of the check's choice; return what changed in each."""
    model = nn.Module()
    for name, array in case["weights"].items():
        model.register_parameter(name, nn.Parameter(torch.from_numpy(array.copy())))
    for name, other in case.get("tied", {}).items():
        model.register_parameter(name, model.get_parameter(other))
    parameters = dict(model.named_parameters())
    for name in case.get("frozen", []):
        parameters[name].requires_grad_(False)
    optimizer: torch.optim.Optimizer
    optimized = [parameters[name] for name in case.get("optimized", parameters)]
    if case.get("optimizer") == "adamw":
        optimizer = torch.optim.AdamW(optimized, lr=0.1, weight_decay=0.5)
    else:
        optimizer = torch.optim.SGD(optimized, lr=1.0)
    steps = []
    for step in case["steps"]:
        names = list(step["grads"])
        for name, array in step.get("stale", {}).items():
            parameters[name].grad = torch.from_numpy(array.copy())
        gradients = [torch.from_numpy(step["grads"][name].copy()) for name in names]
        given = [parameters[name] for name in names]
        loss = GivenGradient.apply(step["loss"], gradients, *given)
        backwards: list[int] = []
        loss.register_hook(lambda gradient, ran=backwards: ran.append(1))
        before, state = _weights(model), _state(optimizer)
        seen: dict[str, Any] = {"report": None, "raised": None}
        try:
            seen["report"] = stage.guarded_step(model, optimizer, loss, *step.get("max_norm", []))
        except NotImplementedError:
            raise
        except Exception as error:
            seen["raised"] = [kind.__name__ for kind in type(error).__mro__]
        after = _weights(model)
        seen["moved"] = {name: before[name].double() - after[name].double() for name in before}
        seen["untouched"] = all(torch.equal(before[name], after[name]) for name in before)
        seen["state_kept"] = _same(_state(optimizer), state)
        seen["backwards"] = len(backwards)
        seen["gradients_left"] = [n for n, p in model.named_parameters() if p.grad is not None]
        steps.append(seen)
    return {"steps": steps}


def _weights(model: nn.Module) -> dict[str, Any]:
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def _state(optimizer: Any) -> list[Any]:
    """Return the tensors and numbers of an optimizer's state, copied."""
    entries = optimizer.state_dict()["state"]
    return [
        value.clone() if isinstance(value, torch.Tensor) else value
        for key in sorted(entries)
        for _, value in sorted(entries[key].items())
    ]


def _same(now: list[Any], before: list[Any]) -> bool:
    return len(now) == len(before) and all(
        torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(now, before, strict=True)
    )


# 8.5.p assert_finite

FUNCTIONS = {
    "one where": lambda x: torch.where(x > 0, x.sqrt(), 0.0),
    "two wheres": lambda x: torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), 0.0),
    "clamped too late": lambda x: x * x.square().sum().rsqrt().clamp(max=1e6),
    "clamped in time": lambda x: x * x.square().sum().clamp_min(1e-12).rsqrt(),
    "plain root": lambda x: x.sqrt(),
    "plain exponential": lambda x: x.exp(),
    "softplus": torch.nn.functional.softplus,
    "plain logarithm": lambda x: x.log(),
    "masked": lambda x: torch.where(x > 0, x, -torch.inf),
    "sign": lambda x: (x > 0).long(),
    "detached": lambda x: x.detach() * 2,
    "constant": lambda x: torch.ones(2, requires_grad=True) * 3,
    "big sum": lambda x: x * 0 + 60000.0,
}


def guard_test(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a guard test on a function by name; say how it ended and what it left changed."""
    inputs = [torch.from_numpy(array.copy()) for array in case["inputs"]]
    if case.get("needs_grad"):
        for tensor in inputs:
            tensor.requires_grad_()
    before = [tensor.detach().clone() for tensor in inputs]
    seen: dict[str, Any] = {"raised": [], "message": "", "value": None}

    def function(x: Any) -> Any:
        if case["function"] == "fails":
            raise KeyError("the function itself fails")
        return FUNCTIONS[case["function"]](x)

    try:
        seen["value"] = stage.assert_finite(function, inputs)
    except NotImplementedError:
        raise
    except Exception as error:
        seen["raised"] = [kind.__name__ for kind in type(error).__mro__]
        seen["message"] = str(error)
    seen["kept"] = all(
        torch.equal(now.detach(), old) for now, old in zip(inputs, before, strict=True)
    )
    seen["gradients"] = sum(tensor.grad is not None for tensor in inputs)
    return seen
