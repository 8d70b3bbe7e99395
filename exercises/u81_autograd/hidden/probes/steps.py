"""Probes of 8.1.j: steps, sound and faulty, and a guard that looks at them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any


def _loss(weights: dict[str, Any]) -> Any:
    return sum((w**3).sum() for w in weights.values() if w.requires_grad)


def _trained(weights: dict[str, Any]) -> list[str]:
    return [name for name, weight in weights.items() if weight.requires_grad]


def _gradients(weights: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the name and the gradient of each weight that is trained."""
    import torch

    names = _trained(weights)
    parts = torch.autograd.grad(_loss(weights), [weights[name] for name in names])
    return list(zip(names, parts, strict=True))


def steps_by_name(case: dict[str, Any]) -> dict[str, Callable[[dict[str, Any]], None]]:
    """Return steps, sound and faulty, by a name; each descends on the sum of cubes."""
    import torch

    lr, done = 0.01, [0]

    def in_place(weights: dict[str, Any]) -> None:
        parts = _gradients(weights)
        with torch.no_grad():
            for name, g in parts:
                weights[name] -= lr * g

    def replaced(weights: dict[str, Any]) -> None:
        for name, g in _gradients(weights):
            weights[name] = (weights[name] - lr * g).detach().requires_grad_()

    def optimizer(weights: dict[str, Any]) -> None:
        torch.optim.SGD([weights[name] for name in _trained(weights)], lr=lr).zero_grad()
        _loss(weights).backward()
        torch.optim.SGD([weights[name] for name in _trained(weights)], lr=lr).step()

    def history(weights: dict[str, Any]) -> None:
        for name, g in _gradients(weights):
            weights[name] = weights[name] - lr * g

    def history_of_the_last(weights: dict[str, Any]) -> None:
        *others, (last, part) = _gradients(weights)
        weights[last] = weights[last] - lr * part
        for name, g in others:
            with torch.no_grad():
                weights[name] -= lr * g

    def late_history(weights: dict[str, Any]) -> None:
        done[0] += 1
        (in_place if done[0] < 3 else history)(weights)

    def history_cut(weights: dict[str, Any]) -> None:
        """The second step makes leaves again of what the first has recorded."""
        done[0] += 1
        (history if done[0] == 1 else replaced)(weights)

    def stored(weights: dict[str, Any]) -> None:
        for name in _trained(weights):
            weights[name].grad = None
        _loss(weights).backward(create_graph=True)
        with torch.no_grad():
            for name in _trained(weights):
                weights[name] -= lr * weights[name].grad

    def both(weights: dict[str, Any]) -> None:
        done[0] += 1
        (history if done[0] > 2 else stored)(weights)

    def detached(weights: dict[str, Any]) -> None:
        (first, g), *_ = _gradients(weights)
        weights[first] = (weights[first] - lr * g).detach()

    def stored_and_detached(weights: dict[str, Any]) -> None:
        stored(weights)
        first = _trained(weights)[0]
        weights[first] = weights[first].detach()

    def average(weights: dict[str, Any]) -> None:
        """A sound step that records how the first weight, a constant, follows the last."""
        first, *_, last = weights
        in_place({name: weight for name, weight in weights.items() if name != first})
        weights[first] = 0.9 * weights[first] + 0.1 * weights[last]

    return {
        "in place": in_place,
        "average": average,
        "replaced": replaced,
        "optimizer": optimizer,
        "history": history,
        "history of the last": history_of_the_last,
        "late history": late_history,
        "history, cut": history_cut,
        "stored": stored,
        "both": both,
        "detached": detached,
        "stored and detached": stored_and_detached,
    }


def weights_of(case: dict[str, Any]) -> dict[str, Any]:
    """Return the weights of a case as tensors that need a gradient, but for the frozen ones."""
    import torch

    return {
        name: torch.tensor(array, requires_grad=name not in case.get("frozen", ()))
        for name, array in case["weights"].items()
    }


def guarded(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the student's guard look at a step; say how often it ran, and what was warned of."""
    step, runs = steps_by_name(case)[case["step"]], 0
    weights = weights_of(case)
    names = list(weights)

    def counted(handed: dict[str, Any]) -> None:
        nonlocal runs
        runs += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            step(handed)

    more = {} if case["steps"] is None else {"steps": case["steps"]}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        answer = stage.update_guard(counted, weights, **more)
    return {
        "answer": answer,
        "runs": runs,
        "warned": any("not a leaf" in str(warning.message) for warning in warned),
        "names_kept": list(weights) == names,
    }
