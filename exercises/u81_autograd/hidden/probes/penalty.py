"""Probes of 8.1.k: a second-order step, its memory, and a guard beside it."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

from .steps import steps_by_name, weights_of


def _penalty_loss(case: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    """Return a loss of the case: cubes, a product of two weights, or one that is linear."""
    kind, c = case["loss"], case.get("factor", 1.0)

    def loss(weights: dict[str, Any]) -> Any:
        used = {n: w for n, w in weights.items() if n not in case.get("unused", ())}
        if kind == "cubes":
            return c * sum((w**3).sum() for w in used.values())
        if kind == "linear":
            return c * sum(w.sum() for w in used.values())
        first, second = list(used.values())[:2]
        return (c * (first * second).sum()).reshape(1)

    return loss


def penalised(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run penalty steps; return the weights after each, what was returned, and what they are."""
    import torch

    weights = weights_of(case)
    loss_fn = _penalty_loss(case)
    known = {}
    for name, array in case.get("grads", {}).items():
        weights[name].grad = known[name] = torch.tensor(array)
    seen: dict[str, Any] = {"returned": [], "weights": [], "facts": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(case["steps"]):
            result = stage.penalty_step(weights, loss_fn, case["strength"], case["lr"])
            two = isinstance(result, tuple | list) and len(result) == 2
            numbers = list(result) if two else []
            tensors = all(isinstance(number, torch.Tensor) for number in numbers)
            seen["returned"].append([float(number) for number in numbers] if tensors else None)
            seen["weights"].append({n: w.detach().clone() for n, w in weights.items()})
            facts = {
                "detached": tensors and not any(number.requires_grad for number in numbers),
                "leaves": all(w.is_leaf for w in weights.values()),
                "needs": {n: w.requires_grad for n, w in weights.items()},
            }
            if facts["leaves"]:
                stored = {n: w.grad for n, w in weights.items() if w.grad is not None}
                facts["grads"] = {n: g.detach().clone() for n, g in stored.items()}
                facts["plain"] = not any(g.requires_grad for g in stored.values())
            seen["facts"].append(facts)
    return seen


def penalised_memory(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Follow the live bytes over steps and after the weights are gone, past the collector."""
    from grader.instruments.live_bytes import LiveBytes

    after_steps = []
    with warnings.catch_warnings(), LiveBytes() as ledger:
        warnings.simplefilter("ignore")
        weights = weights_of(case)
        ledger.track(weights)
        loss_fn = _penalty_loss(case)
        size = ledger.live
        for _ in range(case["steps"]):
            stage.penalty_step(weights, loss_fn, case["strength"], case["lr"])
            gc.collect()  # rings of Python objects are no leak; one through a node is
            after_steps.append(ledger.live - size)
        weights.clear()
        gc.collect()
        left = ledger.live
    return {"size": size, "after_steps": after_steps, "left": left}


def penalised_truth(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return L, R and the new weights of one step, by way of torch.func."""
    import torch

    weights = {name: torch.tensor(array) for name, array in case["weights"].items()}
    trained = {n: w for n, w in weights.items() if n not in case.get("frozen", ())}
    loss_fn = _penalty_loss(case)

    def loss(some: dict[str, Any]) -> Any:
        return loss_fn({n: some.get(n, w) for n, w in weights.items()}).sum()

    def penalty(some: dict[str, Any]) -> Any:
        return sum(g.square().sum() for g in torch.func.grad(loss)(some).values())

    direction = torch.func.grad(lambda some: loss(some) + case["strength"] * penalty(some))(trained)
    new = {n: w - case["lr"] * direction[n] if n in trained else w
           for n, w in weights.items()}  # fmt: skip
    return {"returned": [float(loss(trained)), float(penalty(trained))], "weights": new}


def both_guarded(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold the student's guard against the student's step and against two faulty ones."""
    loss_fn = _penalty_loss(case)

    def repaired(weights: dict[str, Any]) -> None:
        stage.penalty_step(weights, loss_fn, case["strength"], case["lr"])

    steps = {
        "repaired": repaired,
        **{name: steps_by_name(case)[name] for name in ("history", "stored")},
    }
    answers = {}
    for name, step in steps.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers[name] = stage.update_guard(step, weights_of(case), 3)
    return answers
