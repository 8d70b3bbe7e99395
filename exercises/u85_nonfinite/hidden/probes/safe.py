"""Probes of 8.5.m, 8.5.n and 8.5.o: code that makes no bad value, forward or backward."""

from __future__ import annotations

from typing import Any

import torch

from .guards import DTYPES

FUNCTIONS = {
    "sqrt": torch.sqrt,
    "log": torch.log,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "acos": torch.acos,
}


def safe_where(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Guard a function of one entry; return value, gradients, and whether it saw what it must not.

    The gradient is that of a weighted sum, with the weights of the case.
    """
    x = torch.from_numpy(case["x"].copy()).to(DTYPES[case.get("dtype", "fp32")])
    if case.get("transposed"):
        x = x.t()
    x = x.detach().requires_grad_()
    keep = torch.from_numpy(case["keep"])
    other: Any = case["other"]
    if isinstance(other, str):
        other = x
    elif not isinstance(other, float):
        other = torch.from_numpy(other.copy()).requires_grad_()
    saw: list[bool] = []
    allowed = torch.cat([x.detach()[keep.expand_as(x)].flatten(), x.new_tensor([case["safe"]])])

    def function(t: Any) -> Any:
        saw.append(bool(torch.isin(t.detach(), allowed).all()))
        return FUNCTIONS[case["function"]](t)

    before = x.detach().clone()
    value = stage.where_safe(function, x, keep, case["safe"], other)
    if not isinstance(value, torch.Tensor):
        return {"tensor": False}
    weights = torch.from_numpy(case["upstream"]).to(value.dtype)
    if value.requires_grad and value.shape == weights.shape:
        (value * weights).sum().backward()
    return {
        "tensor": True,
        "value": value.float(),
        "dtype": str(value.dtype),
        "gradient": None if x.grad is None else x.grad.float(),
        "other_gradient": None
        if not isinstance(other, torch.Tensor) or other is x or other.grad is None
        else other.grad,
        "saw": all(saw),
        "kept": torch.equal(x.detach().nan_to_num(), before.nan_to_num()),
    }


def rows(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Normalise rows; return them, their dtype, and the gradient for an upstream gradient."""
    x = torch.from_numpy(case["x"].copy())
    x = (x.mT.contiguous().mT if case.get("columns") else x).detach().requires_grad_()
    value = stage.unit_rows(x, *case.get("eps", []))
    if not isinstance(value, torch.Tensor):
        return {"tensor": False}
    if value.requires_grad and value.shape == x.shape:
        value.backward(torch.from_numpy(case["upstream"]).to(value.dtype))
    return {"tensor": True, "value": value, "dtype": str(value.dtype), "gradient": x.grad}


def masked(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Make one mask out of several; return it, its dtype, and scores after a softmax with it."""
    keeps = [torch.from_numpy(array) for array in case["keeps"]]
    for place, kind in case.get("spoiled", []):
        plain = torch.zeros(keeps[place].shape)
        filled = plain.masked_fill(~keeps[place], -1e9)
        keeps[place] = keeps[place].long() if kind == "whole" else filled
    before = [keep.clone() for keep in keeps]
    mask = stage.additive_mask(keeps, DTYPES[case["dtype"]])
    if not isinstance(mask, torch.Tensor):
        return {"tensor": False}
    seen = {
        "tensor": True,
        "mask": mask.double(),
        "dtype": str(mask.dtype),
        "kept": len(keeps) == len(before)
        and all(torch.equal(now, old) for now, old in zip(keeps, before, strict=True)),
    }
    if "scores" in case:
        scores = torch.from_numpy(case["scores"]).to(mask.dtype)
        # in float32, so that the softmax itself rounds nothing away
        seen["weights"] = (scores + mask).float().softmax(-1)
    return seen
