"""What PyTorch does, by the course's own instruments: the truth for the NumPy stage's models."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

PHASES = ("forward", "backward", "update")


def mlp(widths: list[int]) -> Any:
    """Return ``Linear, ReLU, ..., Linear``."""
    from torch import nn

    layers = []
    for n, m in pairwise(widths):
        layers += [nn.Linear(n, m), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def make_optimizer(name: str, model: Any, *, foreach: bool) -> Any:
    """Return an optimizer by the names of the task."""
    import torch

    parameters = list(model.parameters())
    if name == "adamw":
        return torch.optim.AdamW(parameters, foreach=foreach)
    return torch.optim.SGD(
        parameters, lr=0.1, momentum=0.9 if name == "momentum" else 0, foreach=foreach
    )


def run_steps(case: dict[str, Any]) -> Any:
    """Run three steps under a ledger; return it, and what the sheet wants to see besides."""
    import torch
    from torch.nn import functional as F

    from grader.instruments.live_bytes import LiveBytes

    widths, batch = case["widths"], case["batch"]
    model = mlp(widths)
    optimizer = make_optimizer(case["optimizer"], model, foreach=case["foreach"])
    x, y = torch.zeros(batch, widths[0]), torch.zeros(batch, dtype=torch.long)
    ledger = LiveBytes()
    with ledger:
        ledger.track(model, x, y)
        for _ in range(3):
            with ledger.phase("forward"):
                loss = F.cross_entropy(model(x), y)
            with ledger.phase("backward"):
                loss.backward()
                del loss
            with ledger.phase("update"):
                optimizer.step()
                optimizer.zero_grad(set_to_none=case["set_to_none"])
    return ledger, model, optimizer, x, y


def live_phases(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return before, peak and after of the three phases of a later step."""
    ledger, *_ = run_steps(case)
    return {
        name: {
            "before": ledger.phases[name].before,
            "peak": ledger.phases[name].peak,
            "after": ledger.phases[name].after,
        }
        for name in PHASES
    }


def live_inference(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Return peak and end of a forward that keeps nothing, above what was alive before it."""
    import torch

    from grader.instruments.live_bytes import LiveBytes

    model, x = mlp(case["widths"]), torch.zeros(case["batch"], case["widths"][0])
    ledger = LiveBytes()
    with ledger, getattr(torch, case["mode"])():
        ledger.track(model, x)
        with ledger.phase("forward"):
            outputs = model(x)
        phase = ledger.phases["forward"]
        del outputs
    return {"peak": phase.peak - phase.before, "after": phase.after - phase.before}


def live_saved(stage: Any, case: dict[str, Any]) -> list[int]:
    """Return what autograd saves for each of some chains of layers."""
    import torch
    from torch import nn
    from torch.nn import functional as F

    from grader.instruments.saved_tensors import saved_bytes

    plain = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU, "dropout": nn.Dropout}
    sizes = []
    for chain in case["chains"]:
        dtype = {2: torch.bfloat16, 4: torch.float32, 8: torch.float64}[chain["itemsize"]]
        modules, width = [], chain["width"]
        for kind, *more in chain["layers"]:
            if kind == "linear":
                modules.append(nn.Linear(width, more[0]))
                width = more[0]
            elif kind == "layernorm":
                modules.append(nn.LayerNorm(width))
            elif kind != "cross_entropy":
                modules.append(plain[kind]())
        model = nn.Sequential(*modules).to(dtype)
        x = torch.zeros(chain["batch"], chain["width"], dtype=dtype)
        y = torch.zeros(chain["batch"], dtype=torch.long)
        ends = bool(chain["layers"]) and chain["layers"][-1][0] == "cross_entropy"

        def forward(model: Any = model, x: Any = x, y: Any = y, ends: bool = ends) -> Any:
            return F.cross_entropy(model(x), y) if ends else model(x)

        sizes.append(saved_bytes(forward, [x, y, *model.parameters()]))
    return sizes


def live_states(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Return parameters, gradients and AdamW's state of tensors of some shapes, after a step."""
    import torch

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[case["dtype"]]
    parameters = [torch.nn.Parameter(torch.ones(shape, dtype=dtype)) for shape in case["shapes"]]
    optimizer = torch.optim.AdamW(parameters)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    states = [value for state in optimizer.state.values() for value in state.values()]
    return {
        "parameters": sum(p.untyped_storage().nbytes() for p in parameters),
        "gradients": sum(p.grad.untyped_storage().nbytes() for p in parameters),
        "optimizer": sum(value.untyped_storage().nbytes() for value in states),
    }


def device_counts(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run operations on the device's own allocator; return what it counts after each."""
    import torch

    begin = [torch.cuda.memory_allocated(), torch.cuda.memory_reserved()]
    held: list[Any] = []
    columns: dict[str, list[int]] = {"allocated": [], "reserved": [], "requested": []}
    for name, *arguments in case["operations"]:
        if name == "malloc":
            held.append(torch.empty(arguments[0], dtype=torch.uint8, device="cuda"))
        elif name == "free":
            held[arguments[0]] = None
        elif name == "empty_cache":
            torch.cuda.empty_cache()
        stats = torch.cuda.memory_stats()
        for key, column in columns.items():
            column.append(stats[f"{key}_bytes.all.current"])
    return {"begin": begin, "columns": columns}
