"""Probe of 8.5.h: look for the first bad value of a model's forward."""

from __future__ import annotations

from types import MethodType
from typing import Any

import torch
from torch import nn

from .models import build


def forward_find(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the search on the model of a case; say what it found, and what it left changed."""
    model = build(case)
    if case.get("leaf"):
        model = getattr(model, case["leaf"])
    batch = _batch(case)
    own = _own_hook(model, case.get("own_hook", ""))
    buffers = [buffer.clone() for buffer in model.buffers()]
    mode = [module.training for module in model.modules()]
    torch.manual_seed(case.get("seed", 0) + 1)
    rng = torch.get_rng_state()
    seen: dict[str, Any] = {"raised": None}
    try:
        seen["find"] = stage.first_bad_forward(model, batch, *case.get("allow", []))
    except NotImplementedError:
        raise
    except Exception as error:
        seen["find"], seen["raised"] = None, [type(error).__name__, str(error)]
    seen["runs"] = list(getattr(model, "recorded", [False]))
    seen["own_hooks"] = sum(
        handle.id in module._forward_hooks or handle.id in module._forward_pre_hooks
        for module, handle in own
    )
    seen["hooks"] = hooks_left(model) - seen["own_hooks"]
    seen["rng"] = torch.equal(torch.get_rng_state(), rng)
    seen["mode"] = [module.training for module in model.modules()] == mode
    seen["buffers"] = all(
        torch.equal(now, before) for now, before in zip(model.buffers(), buffers, strict=True)
    )
    return seen


def _own_hook(model: nn.Module, kind: str) -> list[Any]:
    """Put hooks of somebody else's on a module: two that do nothing, or a second that raises."""
    if not kind:
        return []

    def hook(module: Any, args: Any, output: Any) -> None:
        if kind == "raises":
            raise LookupError("the hook itself fails")

    module = list(model.modules())[-1]
    before = module.register_forward_pre_hook(lambda module, args: None)
    return [(module, before), (module, module.register_forward_hook(hook))]


def hooks_left(model: nn.Module) -> int:
    """Return how many forward hooks are on a model's modules, on all modules, or in their place."""
    everywhere = nn.modules.module
    left = len(everywhere._global_forward_hooks) + len(everywhere._global_forward_pre_hooks)
    for module in model.modules():
        left += len(module._forward_hooks) + len(module._forward_pre_hooks)
        own = MethodType(type(module).forward, module)
        left += vars(module).get("forward", own) != own
    return left


def _batch(case: dict[str, Any]) -> Any:
    """Return the batch of a case: a tensor, a tuple, or a dict."""
    x = torch.from_numpy(case["x"])
    if case.get("form") == "tuple":
        return x, torch.tensor(1.0)
    if case.get("form") == "dict":
        return {"scale": torch.tensor(1.0), "x": x}
    return x
