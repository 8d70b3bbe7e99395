"""One step of a model, plain or through the student's wrapper: results, calls, and live bytes."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from .models import make_input, make_model


@contextlib.contextmanager
def _autocast(case: dict[str, Any]) -> Iterator[None]:
    import torch

    if case.get("autocast"):
        with torch.autocast("cpu", torch.bfloat16):
            yield
    else:
        yield


def numbers(tensor: Any) -> Any:
    """Return a tensor as an array of its values, bfloat16 as float32; None stays."""
    if tensor is None:
        return None
    plain = tensor.detach().cpu()
    return (plain.float() if plain.is_floating_point() else plain).numpy().copy()


def run_step(case: dict[str, Any], model: Any, run: Any) -> dict[str, Any]:
    """Run one step and return everything that it leaves."""
    import torch

    x = make_input(case)
    parameters = list(model.parameters())
    if case.get("evaluated later"):
        model.eval()
    torch.manual_seed(case["seed"] + 2)
    with _autocast(case):
        y = run(x)
        if case.get("twice"):
            y = y * run(x * 0.5)
    if case.get("between"):
        torch.rand(case["between"])
    seen = {
        "output": numbers(y),
        "after forward": {name: numbers(b) for name, b in model.named_buffers()},
    }
    if case.get("forward_only"):
        return seen
    if case.get("by_grad"):
        wanted = [*([x] if x.requires_grad else []), *(p for p in parameters if p.requires_grad)]
        found = torch.autograd.grad(y.float().sum(), wanted)
        return {**seen, "found": [numbers(gradient) for gradient in found]}
    if case.get("backward twice"):
        y.float().sum().backward(retain_graph=True)
    y.float().sum().backward()
    return {
        **seen,
        "input": numbers(x.grad),
        "gradients": [numbers(p.grad) for p in parameters],
        "buffers": {name: numbers(b) for name, b in model.named_buffers()},
        "state": torch.get_rng_state().numpy().copy(),
    }


def plain_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a step of the model as it is; beside the solution alone."""
    model = make_model(case)
    return run_step(case, model, model)


def stepped(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a step of the model through the student's wrapper."""
    model = make_model(case)
    wrapped = getattr(stage, case["function"])(model, case["segments"])
    seen = run_step(case, model, wrapped)
    mine, theirs = list(model.parameters()), list(wrapped.parameters())
    seen["own"] = len(mine) == len(theirs) and all(
        a is b for a, b in zip(mine, theirs, strict=True)
    )
    return seen


def measured(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a step through the wrapper in a ledger; return bytes and calls by phase, FLOPs if asked.

    A counter of FLOPs refuses a backward inside a backward, which a checkpoint of one's own may do.
    """
    import torch

    from grader.instruments.flops import count_flops
    from grader.instruments.live_bytes import LiveBytes

    model, x = make_model(case), make_input(case)
    wrapped = getattr(stage, case["function"])(model, case["segments"])
    calls: dict[str, list[int]] = {"forward": [], "backward": []}
    phase = ["forward"]
    for place, block in enumerate(model):
        block.register_forward_pre_hook(
            lambda module, inputs, place=place: calls[phase[0]].append(place)
        )
    ledger = LiveBytes()
    ledger.track(model, x)
    gradients = not case.get("no_grad")
    with ledger, torch.set_grad_enabled(gradients):
        with ledger.phase("forward"):
            y = wrapped(x)
        gc.collect()
        left = ledger.live
        if gradients:
            phase[0] = "backward"
            with ledger.phase("backward"):
                y.sum().backward()
        del y
        gc.collect()
    first = ledger.phases["forward"]
    grown = sum(p.grad.untyped_storage().nbytes() for p in model.parameters() if p.grad is not None)
    seen = {
        "live": left - first.before,
        "peak": ledger.peak - first.before,
        "left": ledger.live - first.before - grown,
        "calls": calls,
    }
    if case.get("count"):
        phase[0] = "counted"
        calls["counted"] = []
        count = count_flops(lambda: wrapped(x).sum())
        seen["flops"] = [count.forward, count.backward]
    return seen


def plain_flops(stage: Any, case: dict[str, Any]) -> list[int]:
    """Count a step of the model as it is; beside the solution alone."""
    from grader.instruments.flops import count_flops

    model, x = make_model(case), make_input(case)
    count = count_flops(lambda: model(x).sum())
    return [count.forward, count.backward]


def refused(stage: Any, case: dict[str, Any]) -> str:
    """Return the name of the error that a number of segments raises, by class, base first."""
    import torch

    model = make_model(case) if case["n"] else torch.nn.Sequential()
    try:
        if case["function"] == "recompute_report":
            from grader.instruments.live_bytes import LiveBytes

            stage.recompute_report(model, make_input(case), case["segments"], LiveBytes)
        else:
            getattr(stage, case["function"])(model, case["segments"])
    except NotImplementedError:
        raise
    except Exception as error:  # which one is judged by the driver
        return " ".join(kind.__name__ for kind in type(error).__mro__)
    return ""
