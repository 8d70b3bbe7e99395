"""Probes of 8.5.i and 8.5.j: look for the first bad gradient, and replay a step."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch.nn import functional as F

from grader.instruments.bad_nodes import nodes_of

from .scenes import SCENES, Poison


def backward_find(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Search the backward of a scene; return what was found, and gradients with and without."""
    scene = SCENES[case["scene"]]
    plain, watched = scene(case, []), scene(case, [])
    seen: dict[str, Any] = {"raised": None, "find": None}
    leaves, others = _leaves(watched), _leaves(plain)
    if case.get("old"):
        for tensor in (*leaves, *others):
            tensor.grad = torch.full_like(tensor, case["old"])
    try:
        seen["find"] = stage.first_bad_backward(watched)
    except NotImplementedError:
        raise
    except Exception as error:
        seen["raised"] = [[kind.__name__ for kind in type(error).__mro__], str(error)]
        return seen
    plain.backward()
    seen["same"] = [
        torch.equal(_bits(mine.grad), _bits(other.grad))
        for mine, other in zip(leaves, others, strict=True)
        if other.grad is not None
    ]
    return seen


def _leaves(loss: Any) -> list[Any]:
    """Return the leaves of a graph in an order that two graphs of one scene share."""
    if loss.grad_fn is None:
        return []
    nodes = [node for node in nodes_of(loss) if hasattr(node, "variable")]
    return [node.variable for node in nodes]


def _bits(gradient: Any) -> Any:
    """Return a gradient as integers, so that NaN equals NaN."""
    if gradient is None:
        return torch.zeros(0)
    dense = gradient.to_dense() if gradient.is_sparse else gradient
    return dense.contiguous().view(torch.int32)


# 8.5.j replay_anomaly


def replayed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Replay a step whose NaN depends on the dropout mask; say what was found and left changed."""
    calls: list[list[float]] = []
    kept, dropped = _state(dropped=False), _state(dropped=True)

    def fn() -> Any:
        x = torch.ones(1, requires_grad=True)
        y = F.dropout(x, 0.5)
        calls.append(y.detach().tolist())
        if case["step"] == "impostor":
            raise RuntimeError("Function 'LogBackward0' returned nan values in its 0th output.")
        if case["step"] == "fails":
            raise ValueError("the forward itself fails")
        if case["step"] == "infinite":
            return (y - y.detach()).sqrt().sum()
        if case["step"] == "own":
            return Poison.apply(y).sum()
        if case["step"] == "second":
            return (x * 0 / (x - x.detach())).sum()
        if case["step"] == "broken":
            return SCENES["broken"]({"x": torch.ones(2).numpy()}, [])
        return torch.where(y > 0, y.rsqrt(), y).sum()

    torch.set_rng_state(dropped if case["now"] == "dropped" else kept)
    before = torch.get_rng_state()
    given = {"dropped": [dropped], "kept": [kept], "none": []}[case["given"]]
    previous, filters = case.get("mode", "off"), list(warnings.filters)
    seen: dict[str, Any] = {"raised": None, "node": None}
    with torch.autograd.set_detect_anomaly(previous != "off", check_nan=previous != "unchecked"):
        mode = _mode()
        try:
            seen["node"] = stage.replay_anomaly(fn, *given)
        except NotImplementedError:
            raise
        except Exception as error:
            seen["raised"] = [type(error).__name__, str(error)]
        seen["mode"] = _mode() == mode
        torch.autograd.set_detect_anomaly(previous != "off", check_nan=previous != "unchecked")
    seen["rng"] = torch.equal(torch.get_rng_state(), before)
    seen["filters"] = list(warnings.filters) == filters
    seen["calls"] = calls
    return seen


def _mode() -> tuple[bool, bool]:
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def _state(*, dropped: bool) -> Any:
    """Return a state of the RNG from which dropout of one entry draws, or keeps, it."""
    for seed in range(1000):
        torch.manual_seed(seed)
        torch.rand(3)  # so that no seed alone leads to it
        state = torch.get_rng_state()
        if (F.dropout(torch.ones(1), 0.5).item() == 0) == dropped:
            return state
    raise LookupError("no such state")
