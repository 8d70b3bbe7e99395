"""What the sheet asks, measured; the terms are what a prediction may have left out, or in."""

from __future__ import annotations

from functools import cache
from typing import Any

from .live import mlp, run_steps
from .pictures import memory_over_the_step

WIDTHS, BATCH = [256, 512, 384, 100], 64
MIB = 2**20


@cache
def _shapes() -> tuple[int, int, int, int]:
    """Return bytes of the mlp's parameters, of its biases, its first layer and its output layer."""
    from torch import nn

    layers = [module for module in mlp(WIDTHS) if isinstance(module, nn.Linear)]
    whole = [layer.weight.nbytes + layer.bias.nbytes for layer in layers]
    return sum(whole), sum(layer.bias.nbytes for layer in layers), whole[0], whole[-1]


@cache
def _step(foreach: bool) -> Any:
    """Return a ledger and what it followed: a later step of the sheet's mlp."""
    return run_steps(
        {"widths": WIDTHS, "batch": BATCH, "optimizer": "adamw", "foreach": foreach,
         "set_to_none": True}
    )  # fmt: skip


def measure_parameter_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Add up the storages of the parameters."""
    model = mlp(WIDTHS)
    value = sum(p.untyped_storage().nbytes() for p in model.parameters())
    _, biases, _, last = _shapes()
    return {
        "value": value,
        "terms": {
            "biases": biases,
            "layer_1_weight": model[0].weight.nbytes,
            "output_layer": last,
            "half_precision": value // 2,
        },
    }


def measure_gradient_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Freeze the first linear, run a backward and add up the gradients."""
    import torch

    model = mlp(WIDTHS)
    model[0].requires_grad_(requires_grad=False)
    model(torch.zeros(BATCH, WIDTHS[0])).sum().backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    value = sum(gradient.untyped_storage().nbytes() for gradient in gradients)
    return {
        "value": value,
        "terms": {
            "frozen_layer": value - _shapes()[0],
            "biases": sum(gradient.nbytes for gradient in gradients if gradient.dim() == 1),
            "output_layer": _shapes()[3],
            "half_precision": value // 2,
        },
    }


def measure_adamw_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Add up the tensors of the optimizer's state."""
    _, _, optimizer, _, _ = _step(foreach=False)
    kinds: dict[str, int] = {}
    for state in optimizer.state.values():
        for name, tensor in state.items():
            kinds[name] = kinds.get(name, 0) + tensor.untyped_storage().nbytes()
    return {
        "value": sum(kinds.values()),
        "terms": {
            "step_counters": kinds["step"],
            "second_moment": kinds["exp_avg_sq"],
            "biases": 2 * _shapes()[1],
        },
    }


def measure_forward_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Read what is alive before and after the forward."""
    ledger, _, _, x, y = _step(foreach=False)
    phase = ledger.phases["forward"]
    outputs = [4 * BATCH * width for width in WIDTHS[1:]]
    return {
        "value": phase.after - phase.before,
        "terms": {
            "log_probabilities": outputs[-1],
            "loss_and_total_weight": phase.after - phase.before - sum(outputs),
            "pre_activations": -sum(outputs[:-1]),
            "layer_1_output": outputs[0],
            "layer_2_output": outputs[1],
            "input_batch": -x.nbytes,
            "labels": -y.nbytes,
        },
    }


def measure_foreach_room(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Read the peak of an update with one call for all tensors, and of one tensor by tensor."""
    room = {}
    for foreach in (True, False):
        phase = _step(foreach)[0].phases["update"]
        room[foreach] = phase.peak - phase.before
    largest = max(p.nbytes for p in mlp(WIDTHS).parameters())
    return {
        "value": room[True],
        "terms": {
            "tensor_by_tensor": room[True] - room[False],
            "biases": _shapes()[1],
            "all_but_the_largest": room[True] - largest,
        },
    }


def measure_peak_phase(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Read the three peaks."""
    phases = _step(foreach=False)[0].phases
    peaks = {
        "forward": phases["forward"].peak,
        "backward": phases["backward"].peak,
        "optimizer": phases["update"].peak,
    }
    return {
        "value": max(peaks, key=lambda name: peaks[name]),
        "terms": peaks,
        "series": memory_over_the_step(WIDTHS, BATCH),
    }


def _peak() -> tuple[int, dict[str, int]]:
    """Return the peak of the step and its parts."""
    ledger, _, optimizer, x, y = _step(foreach=False)
    phases = ledger.phases
    room = phases["update"].peak - phases["update"].before
    parameters = _shapes()[0]
    counters = sum(state["step"].nbytes for state in optimizer.state.values())
    parts = {
        "optimizer_temporaries": room,
        "batch": x.nbytes + y.nbytes,
        "step_counters": counters,
        "activations": phases["forward"].before - phases["forward"].after,
        "gradients": parameters,
        "moments": 2 * parameters,
    }
    return phases["update"].peak, parts


def measure_step_peak(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Read the largest peak; the activations have gone by then."""
    peak, parts = _peak()
    return {"value": peak, "terms": parts}


def measure_reserved_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask the allocator's model; the course's own, held against the rules of the real one."""
    from grader.instruments.caching_allocator import replay

    begin = [("malloc", 6 * MIB)] * 3
    seen = replay([*begin, ("free", 1), ("malloc", 7 * MIB)])
    value, first = seen[-1]["reserved"], seen[0]["reserved"]
    return {
        "value": value,
        "terms": {
            "second_segment": value - first,
            "rounded_segments": value - (3 * 6 + 7) * MIB,
            "freed_block": seen[2]["allocated"] - seen[3]["allocated"],
            "cached": value - seen[-1]["allocated"],
        },
        "note": "by the model of the allocator",
    }


def measure_gap(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Hold the peak against 16 bytes a parameter; parameters, gradients and moments are those."""
    peak, parts = _peak()
    names = ("step_counters", "batch", "optimizer_temporaries")
    terms = {name: parts[name] for name in names}
    return {"value": peak - 4 * _shapes()[0], "terms": terms}
