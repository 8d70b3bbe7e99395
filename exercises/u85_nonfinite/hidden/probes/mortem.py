"""Probe of 8.5.q: a post-mortem of one step, and the same numbers counted another way."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .forward import hooks_left
from .models import build


def mortem(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask for a post-mortem of a step; return it, what it left changed, and a second count."""
    fails = case["loss"] == "fails"
    seen: dict[str, Any] = {"recount": None if fails else _recount(case), "raised": None}
    model, x, y, loss_fn = _step(case)
    gradients = {}
    for number, (name, parameter) in enumerate(model.named_parameters()):
        if number % 2 and parameter.requires_grad:
            parameter.grad = torch.full_like(parameter, 7.0)
        gradients[name] = None if parameter.grad is None else parameter.grad.clone()
    buffers = [buffer.clone() for buffer in model.buffers()]
    rng = torch.get_rng_state()
    mode = [module.training for module in model.modules()]
    try:
        seen["report"] = stage.post_mortem(model, (x, y), loss_fn)
    except LookupError as error:
        if not fails:
            raise
        seen["raised"] = str(error)
    seen["rng"] = torch.equal(torch.get_rng_state(), rng)
    seen["mode"] = [module.training for module in model.modules()] == mode
    seen["hooks"] = hooks_left(model)
    seen["buffers"] = all(_equal(a, b) for a, b in zip(model.buffers(), buffers, strict=True))
    seen["gradients"] = all(
        _equal(parameter.grad, gradients[name]) for name, parameter in model.named_parameters()
    )
    return seen


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return bool(torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)))


def _step(case: dict[str, Any]) -> tuple[nn.Module, Any, Any, Any]:
    """Return the model of a case with its weights spoiled, its batch, and its loss."""
    model = build(case)
    for name, index, value in case.get("spoiled", []):
        tensor = dict(model.named_parameters()) | dict(model.named_buffers())
        with torch.no_grad():
            tensor[name][tuple(index)] = value
    for name in case.get("frozen", []):
        model.get_parameter(name).requires_grad_(False)
    torch.manual_seed(case.get("seed", 0) + 1)
    return model, torch.from_numpy(case["x"]), torch.from_numpy(case["y"]), _LOSSES[case["loss"]]


def _fails(out: Any, y: Any) -> Any:
    """Raise, after the forward has run."""
    torch.rand(3)
    raise LookupError("the loss itself fails")


_LOSSES = {
    "fails": _fails,
    "mse": nn.functional.mse_loss,
    "log": lambda out, y: (out - out.detach() + y).log().mean(),
    "root": lambda out, y: (out - out.detach()).abs().sqrt().sum() + y.sum(),
}
"""``log`` is NaN with finite gradients where y < 0; ``root`` is finite with a bad gradient."""


def _recount(case: dict[str, Any]) -> dict[str, int]:
    """Count the bad values of the step by wrapping the call of each leaf module."""
    model, x, y, loss_fn = _step(case)
    count = {"input": _bad(x), "weights": 0, "forward": 0}
    for tensor in (*model.parameters(), *model.buffers()):
        count["weights"] += _bad(tensor)
    for module in model.modules():
        if not list(module.children()):
            module.forward = _counting(module.forward, count)  # type: ignore[method-assign]
    loss = loss_fn(model(x), y)
    count["loss"] = _bad(loss)
    loss.backward()
    count["backward"] = sum(_bad(p.grad) for p in model.parameters() if p.grad is not None)
    return count


def _counting(forward: Any, count: dict[str, int]) -> Any:
    def counting(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        count["forward"] += _bad(output)
        return output

    return counting


def _bad(tensor: Any) -> int:
    return int((~tensor.detach().isfinite()).sum())
