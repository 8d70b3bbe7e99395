"""Probes of 8.1.i to 8.1.k: refusals to diagnose, steps to guard, a step to repair."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any


class _StopTraining(RuntimeError):
    """An error of the workload's own, of a class below RuntimeError."""


def _refusals(case: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Return functions whose backward autograd refuses, by a name."""
    import torch
    from torch import nn

    before, after = case.get("before", 0), case.get("after", 1)
    a = torch.ones(3, requires_grad=True)

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

    def twice(loss: Any, **options: Any) -> None:
        loss.backward(**options)
        loss.backward()

    def shared() -> None:
        trunk = a.exp()
        trunk.sum().backward()
        (trunk * 2).sum().backward()

    def peeked() -> None:
        y = a.exp()
        y.sum().backward()
        y.grad_fn._saved_result  # noqa: B018 - looking is what is refused

    def no_grad() -> None:
        with torch.no_grad():
            loss = a.exp().sum()
        loss.backward()

    def frozen() -> None:
        nn.Linear(3, 2).requires_grad_(False)(torch.ones(1, 3)).sum().backward()

    def inference() -> None:
        with torch.inference_mode():
            data = torch.ones(3)
        (a * data).sum().backward()

    def inference_leaf() -> None:
        with torch.inference_mode():
            data = torch.ones(3)
        data.requires_grad_().sum().backward()

    return {
        "freed": lambda: twice(a.exp().sum()),
        "freed, a shared trunk": shared,
        "freed, looked at": peeked,
        "version of an output": made(torch.exp),
        "version of another output": made(torch.sigmoid),
        "version of an input": sine,
        "version of data": data_edited,
        "inference": inference,
        "inference, made a leaf": inference_leaf,
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

    def twice(loss: Any, **options: Any) -> None:
        loss.backward(**options)
        loss.backward()

    def product_of_odd_shapes() -> None:
        (a @ torch.ones(4)).backward()

    return {
        "ok": lambda: a.exp().sum().backward(),
        "ok, kept": lambda: twice(a.exp().sum(), retain_graph=True),
        "ok, nothing saved": lambda: twice((a + 1).sum()),
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


# 8.1.j update_guard


def _loss(weights: dict[str, Any]) -> Any:
    return sum((w**3).sum() for w in weights.values() if w.requires_grad)


def _steps(case: dict[str, Any]) -> dict[str, Callable[[dict[str, Any]], None]]:
    """Return steps, sound and faulty, by a name; each descends on the sum of cubes."""
    import torch

    lr, done = 0.01, [0]

    def trained(weights: dict[str, Any]) -> list[str]:
        return [name for name, weight in weights.items() if weight.requires_grad]

    def gradients(weights: dict[str, Any], names: list[str]) -> list[Any]:
        return list(torch.autograd.grad(_loss(weights), [weights[name] for name in names]))

    def in_place(weights: dict[str, Any]) -> None:
        names = trained(weights)
        with torch.no_grad():
            for name, g in zip(names, gradients_outside(weights, names), strict=True):
                weights[name] -= lr * g

    def gradients_outside(weights: dict[str, Any], names: list[str]) -> list[Any]:
        with torch.enable_grad():
            return gradients(weights, names)

    def replaced(weights: dict[str, Any]) -> None:
        names = trained(weights)
        for name, g in zip(names, gradients(weights, names), strict=True):
            weights[name] = (weights[name] - lr * g).detach().requires_grad_()

    def optimizer(weights: dict[str, Any]) -> None:
        torch.optim.SGD([weights[name] for name in trained(weights)], lr=lr).zero_grad()
        _loss(weights).backward()
        torch.optim.SGD([weights[name] for name in trained(weights)], lr=lr).step()

    def history(weights: dict[str, Any]) -> None:
        names = trained(weights)
        for name, g in zip(names, gradients(weights, names), strict=True):
            weights[name] = weights[name] - lr * g

    def history_of_the_last(weights: dict[str, Any]) -> None:
        *others, last = trained(weights)
        parts = gradients(weights, [*others, last])
        weights[last] = weights[last] - lr * parts[-1]
        for name, g in zip(others, parts, strict=False):
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
        for name in trained(weights):
            weights[name].grad = None
        _loss(weights).backward(create_graph=True)
        with torch.no_grad():
            for name in trained(weights):
                weights[name] -= lr * weights[name].grad

    def both(weights: dict[str, Any]) -> None:
        done[0] += 1
        (history if done[0] > 2 else stored)(weights)

    def detached(weights: dict[str, Any]) -> None:
        names = trained(weights)
        for name, g in zip(names[:1], gradients(weights, names), strict=False):
            weights[name] = (weights[name] - lr * g).detach()

    def stored_and_detached(weights: dict[str, Any]) -> None:
        stored(weights)
        first = trained(weights)[0]
        weights[first] = weights[first].detach()

    return {
        "in place": in_place,
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


def _weights(case: dict[str, Any]) -> dict[str, Any]:
    import torch

    return {
        name: torch.tensor(array, requires_grad=name not in case.get("frozen", ()))
        for name, array in case["weights"].items()
    }


def guarded(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Let the student's guard look at a step; say how often it ran, and what was warned of."""
    step, runs = _steps(case)[case["step"]], 0
    weights = _weights(case)
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


# 8.1.k penalty_step


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

    weights = _weights(case)
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
        weights = _weights(case)
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

    steps = {"repaired": repaired, **{name: _steps(case)[name] for name in ("history", "stored")}}
    answers = {}
    for name, step in steps.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers[name] = stage.update_guard(step, _weights(case), 3)
    return answers
