"""The three repairs: run, differentiated, compiled and counted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any


def _tensor(one: dict[str, Any]) -> Any:
    """Return a tensor from its description: values, dtype, and whether it is a transposed view."""
    import torch

    x = torch.from_numpy(one["x"].copy()).to(getattr(torch, one.get("dtype", "float32")))
    return x.t() if one.get("transposed") else x


def _run(fn: Callable[..., Any], x: Any, gradients: bool) -> dict[str, Any]:
    """Return output, dtype and gradient of a function on a leaf with the values of `x`."""
    import torch

    leaf = x.detach().clone(memory_format=torch.preserve_format).requires_grad_(gradients)
    output = fn(leaf)
    told = {"output": output.detach().double().contiguous().numpy(), "dtype": str(output.dtype),
            "same memory": output is leaf or _same_memory(output, leaf)}  # fmt: skip
    if gradients:
        weights = torch.arange(1, output.numel() + 1, dtype=output.dtype).reshape(output.shape)
        (output * weights).sum().backward()
        told["gradient"] = leaf.grad.double().contiguous().numpy()
    return told


def _same_memory(a: Any, b: Any) -> bool:
    """Whether two tensors with entries lie in the same memory."""
    ours, theirs = a.untyped_storage(), b.untyped_storage()
    return a.numel() > 0 and b.numel() > 0 and ours.data_ptr() == theirs.data_ptr()


def repaired(stage: Any, case: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a repaired function on inputs."""
    fn = getattr(stage, case["function"])
    return [_run(fn, _tensor(one), one.get("gradients", False)) for one in case["inputs"]]


def inspected(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Look at the graphs of a repaired function, and run it compiled on both sides of a branch."""
    import torch

    from grader.instruments import graph_breaks

    fn = getattr(stage, case["function"])
    inputs = [_tensor(one) for one in case["inputs"]]
    counted = graph_breaks.count_graphs(fn, [inputs[:1]])
    with graph_breaks.forgotten():
        compiled = torch.compile(fn, backend="aot_eager")
        rows = [_run(compiled, x, True) for x in inputs]
    sizes = [(torch.ones(size),) for size in case["sizes"]]
    return {
        "rows": rows,
        "break": graph_breaks.first_break(fn, inputs[0]),
        "graphs": counted.graphs,
        "operators": counted.operators,
        "recompiles": graph_breaks.recompiles_after(fn, sizes, 2),
    }


def _faulty_warmup(steps: int) -> Any:
    """Return the faulty module of the stub."""
    import torch

    class FaultyWarmup(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.steps, self.calls = steps, 0
            self.gain = torch.nn.Parameter(torch.ones(()))

        def forward(self, x: Any) -> Any:
            if self.training:
                self.calls += 1
            return x * self.gain * min(1.0, self.calls / self.steps)

    return FaultyWarmup()


def _warm_call(module: Any, run: Any, x: Any) -> dict[str, Any]:
    """Return output, gradients and the count after one call."""
    module.zero_grad()
    leaf = x.detach().clone().requires_grad_()
    output = run(leaf)
    output.sum().backward()
    return {
        "output": output.detach().double().numpy(), "gradient": leaf.grad.double().numpy(),
        "gain": module.gain.grad.item(), "calls": int(module.calls), "dtype": str(output.dtype),
    }  # fmt: skip


def warmed(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Call the repaired module in several modes, compiled with a backend or not."""
    import torch

    from grader.instruments import graph_breaks

    module, other = stage.make_warmup(case["steps"]), stage.make_warmup(case["steps"])
    told = {"start": int(module.calls), "training": module.training, "rows": []}
    module.gain.data.fill_(case["gain"])
    x = torch.from_numpy(case["x"].copy())
    with graph_breaks.forgotten():
        run = torch.compile(module, backend=case["backend"]) if case["backend"] else module
        for training in case["modes"]:
            module.train(training)
            told["rows"].append(_warm_call(module, run, x))
    twin = copy.deepcopy(module).train()
    twin(x)
    told |= {"twin": int(twin.calls), "after the twin": int(module.calls)}
    return told | {"other": int(other.calls)}


def warm_counts(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count graphs over many calls of the repaired module and of the faulty one."""
    import torch

    from grader.instruments import graph_breaks

    told = {}
    calls, modes, steps = [(torch.ones(3),)] * case["calls"], case["modes"], case["steps"]
    for name, make in (("repaired", stage.make_warmup), ("faulty", _faulty_warmup)):
        module = make(steps)
        counted = graph_breaks.count_graphs(
            module, calls, before=lambda number, module=module: module.train(modes[number])
        )
        told[name] = {
            "graphs": counted.graphs,
            "ran": list(counted.ran),
            "operators": counted.operators,
            "calls": int(module.calls),
            "break": graph_breaks.first_break(make(steps), torch.ones(3)),
        }
    return told


def warm_state(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Load the checkpoint of each of the two modules into the other."""
    import torch

    new, old = stage.make_warmup(case["steps"]), _faulty_warmup(case["steps"])
    for _ in range(3):
        new(torch.ones(2))
    told: dict[str, Any] = {
        "keys": sorted(new.state_dict()),
        "old keys": sorted(old.state_dict()),
        "parameters": sorted(name for name, _ in new.named_parameters()),
    }
    old.gain.data.fill_(case["gain"])
    for name, source, target in (
        ("old into new", old, stage.make_warmup(case["steps"])),
        ("new into old", new, _faulty_warmup(case["steps"])),
    ):
        try:
            target.load_state_dict(source.state_dict())
            told[name] = target.gain.item()
        except RuntimeError as error:
            told[name] = str(error).splitlines()[-1].strip()
    return told
