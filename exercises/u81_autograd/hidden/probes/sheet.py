"""What the prediction sheet of 8.1 asks for, measured; a term's size is what it adds, signed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .graphs import nodes_below

WIDTHS = (12, 40, 24, 18, 4)
BATCH = 32


def _model_s() -> tuple[Any, Any]:
    """Return model S of the sheet, and its input."""
    import torch
    from torch import nn

    a, b, c, d, e = WIDTHS
    model = nn.Sequential(
        nn.Linear(a, b), nn.ReLU(), nn.Linear(b, c), nn.ReLU(),
        nn.Linear(c, d), nn.Linear(d, e, bias=False),
    )  # fmt: skip
    return model, torch.randn(BATCH, a)


def _saves() -> tuple[list[Any], list[Any], dict[tuple[int, ...], Any]]:
    """Return all storages that the forward of S saves, those of no parameter, and by shape."""
    from grader.instruments.saved_tensors import saved_tensors

    model, x = _model_s()
    everything = list(saved_tensors(lambda: model(x)))
    rest = list(saved_tensors(lambda: model(x), model.parameters()))
    return everything, rest, {saved.shape: saved for saved in rest}


def _weight_bytes() -> dict[str, int]:
    model, _ = _model_s()
    linears = [layer for layer in model if hasattr(layer, "weight")]
    names = ("first", "second", "third", "fourth")
    return {
        name: layer.weight.untyped_storage().nbytes()
        for name, layer in zip(names, linears, strict=True)
    }


def _second_copy(rest: list[Any]) -> int:
    """Return the bytes of what is saved a second time [B]."""
    return sum((saved.times - 1) * saved.size for saved in rest)


def measure_saved_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the storages of the forward of model S, parameters left out."""
    everything, rest, by_shape = _saves()
    total = sum(saved.size for saved in rest)
    weights = sum(saved.size for saved in everything) - total
    model, x = _model_s()
    biases = sum(p.numel() * p.element_size() for n, p in model.named_parameters() if "bias" in n)
    sizes = {width: by_shape[BATCH, width].size for width in WIDTHS[:-1]}
    return {
        "value": total,
        "terms": {
            "input": sizes[12],
            "hidden_1": sizes[40],
            "hidden_2": sizes[24],
            "linear_3_output": sizes[18],
            "output": -model(x).untyped_storage().nbytes(),
            "second_copy_of_hidden": -_second_copy(rest),
            "saved_weights": -weights,
            "first_weight": -_weight_bytes()["first"],
            "biases": -biases,
        },
    }


def measure_packs(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the saves of the forward of model S, parameters included."""
    everything, rest, _ = _saves()
    times = sum(saved.times for saved in everything)
    return {
        "value": times,
        "terms": {
            "saved_weights": times - sum(saved.times for saved in rest),
            "second_save_of_hidden": sum(saved.times - 1 for saved in rest),
            "first_weight": -1,
        },
    }


def measure_unsaved_weight(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Find the weight whose storage is not saved; the numbers are the bytes of the weights."""
    from grader.instruments.saved_tensors import saved_tensors

    model, x = _model_s()
    linears = [layer for layer in model if hasattr(layer, "weight")]
    everything = len(saved_tensors(lambda: model(x)))
    sizes = _weight_bytes()
    unsaved = [
        name
        for name, layer in zip(sizes, linears, strict=True)
        if len(saved_tensors(lambda: model(x), [layer.weight])) == everything
    ]
    return {
        "value": unsaved[0] if unsaved else "none",
        "terms": {name: float(size) for name, size in sizes.items()},
        "note": f"that weight has {sizes[unsaved[0]]} B" if unsaved else "",
    }


def measure_nodes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the nodes of the graph of model S with its loss."""
    import torch

    model, x = _model_s()
    loss = torch.nn.functional.cross_entropy(model(x), torch.zeros(BATCH, dtype=torch.int64))
    seen = nodes_below([loss])
    names = Counter(node.name().split("::")[-1] for node in seen)
    biases = sum("bias" in name for name, _ in model.named_parameters())
    return {
        "value": len(seen),
        "terms": {
            "transposes": names["TBackward0"],
            "accumulate_grad": names["AccumulateGrad"],
            "bias_additions": -biases,
            "log_softmax": names["LogSoftmaxBackward0"],
        },
    }


def measure_slice_bytes(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Save a slice of a buffer and weigh its storage."""
    import torch

    from grader.instruments.saved_tensors import saved_bytes

    big, w = torch.randn(50, 25), torch.randn(20, 1, requires_grad=True)
    total = saved_bytes(lambda: torch.sum(w * big[:20]), [w])
    view = big[:20].numel() * big.element_size()
    return {
        "value": total,
        "terms": {
            "rest_of_the_buffer": total - view,
            "weight": -w.numel() * w.element_size(),
        },
    }


def measure_dropout_mask(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Weigh what a dropout saves beside its parameters; the numbers are bytes for all of z."""
    import torch

    from grader.instruments.saved_tensors import saved_bytes

    z = torch.randn(64, 48, requires_grad=True)
    total = saved_bytes(lambda: torch.nn.functional.dropout(z, 0.25), [z])
    words = {"nothing": 0.0, "one_bit": 0.125, "one_byte": 1.0, "four_bytes": 4.0}
    found = [word for word, size in words.items() if size * z.numel() == total]
    return {
        "value": found[0] if found else None,
        "terms": {word: size * z.numel() for word, size in words.items()},
        "note": f"{total} B for {z.numel()} elements",
    }


def measure_second_backward(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Go through a graph that saves nothing twice; the numbers are the gradient afterwards."""
    import torch

    a, b = torch.ones(3, requires_grad=True), torch.ones(3)
    loss = (a + b).sum()
    loss.backward()
    try:
        loss.backward()
        word = "works"
    except RuntimeError:
        word = "raises"
    return {
        "value": word,
        "terms": {"works": 2.0, "raises": 1.0},
        "note": f"each entry of a.grad is {a.grad[0].item():g} after the second call",
    }


def measure_residual(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Sum the saves of model S one by one; what they have beyond the storages, term by term."""
    everything, rest, _ = _saves()
    once = sum(saved.size for saved in rest)
    one_by_one = sum(saved.size * saved.times for saved in everything)
    again = _second_copy(rest)
    weights = sum(saved.size for saved in everything) - once
    return {
        "value": one_by_one - once,
        "terms": {"second_save_of_hidden": again, "saved_weights": weights},
    }
