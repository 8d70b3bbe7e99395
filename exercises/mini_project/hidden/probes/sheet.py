"""Measurements for the prediction sheet, on the student's adapter where there is one.

Without a student's files it is the course's perceptron that is measured. The size of a term is what
must be added to the prediction of somebody who made that mistake alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .programs import maker, ready


class _Course:
    """The course's perceptron, as an adapter."""

    @staticmethod
    def make_model(seed: int) -> Any:
        from compact.config import ModelConfig
        from compact.model import build

        return build(ModelConfig(widths=(64, 64, 64, 64, 10), dropout=0.1), seed)

    @staticmethod
    def make_batches(seed: int) -> Any:
        from compact.data import Batches, split

        images, labels = split(0)[0]
        return list(Batches(images, labels, 280, seed))

    @staticmethod
    def loss(model: Any, batch: Any) -> Any:
        from torch.nn import functional as F

        images, labels = batch
        return F.cross_entropy(model(images), labels)


def _adapter(stage: Any) -> Any:
    return _Course if stage is None else ready(stage, "repaired")


def _forward(adapter: Any, model: Any, batch: Any) -> Any:
    """Return the weighted loss as the project's trainer computes it."""
    import torch

    with torch.autocast("cpu", dtype=torch.float16):
        return adapter.loss(model, batch) * 2.0**-14


def _sizes(model: Any) -> tuple[int, int, int]:
    """Return bytes of the trained parameters, of those with one dimension, and their number."""
    trained = [p for p in model.parameters() if p.requires_grad]
    vectors = sum(p.numel() * p.element_size() for p in trained if p.dim() < 2)
    return sum(p.numel() * p.element_size() for p in trained), vectors, len(trained)


def measure_parameters(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bytes of the parameters: fp32, whatever autocast computes in."""
    model = _adapter(stage).make_model(0)
    value = sum(p.numel() * p.element_size() for p in model.parameters())
    _, vectors, _ = _sizes(model)
    return {
        "value": value,
        "terms": {"vectors": vectors, "half_precision": value // 2, "moments": -2 * value},
    }


def measure_gradients(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bytes of the gradients after a backward under autocast."""
    adapter = _adapter(stage)
    model = adapter.make_model(0)
    _forward(adapter, model, next(iter(adapter.make_batches(0)))).backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    value = sum(g.numel() * g.element_size() for g in grads)
    return {
        "value": value,
        "terms": {
            "vectors": sum(g.numel() * g.element_size() for g in grads if g.dim() < 2),
            "half_precision": value // 2,
            "scaled_copy": -value,
        },
    }


def measure_optimizer(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bytes of AdamW's state after a step."""
    import torch

    adapter = _adapter(stage)
    model = adapter.make_model(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    _forward(adapter, model, next(iter(adapter.make_batches(0)))).backward()
    optimizer.step()
    held = [
        (name, one.numel() * one.element_size())
        for state in optimizer.state.values()
        for name, one in state.items()
        if isinstance(one, torch.Tensor)
    ]
    value = sum(size for _, size in held)
    # by name: the moments of a parameter without dimensions have none either
    counters = sum(size for name, size in held if name == "step")
    return {
        "value": value,
        "terms": {
            "step_counters": counters,
            "one_moment": (value - counters) // 2,
            "vectors": 2 * _sizes(model)[1],
            "eight_bytes": counters - value,
        },
    }


def measure_activations(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Count the bytes that the forward saves for the backward, without what exists anyway."""
    from grader.instruments.saved_tensors import saved_tensors

    adapter = _adapter(stage)
    model = adapter.make_model(0)
    batch = next(iter(adapter.make_batches(0)))
    known = [*model.parameters(), *model.buffers(), *batch]
    seen = saved_tensors(lambda: _forward(adapter, model, batch), known)
    value = sum(one.size for one in seen)
    half = sum(one.size for one in seen if one.dtype == "float16")
    shapes = {tuple(p.shape) for p in model.parameters() if p.dim() == 2}
    shapes |= {shape[::-1] for shape in shapes}
    copies = sum(one.size for one in seen if one.dtype == "float16" and one.shape in shapes)
    inputs, masks = _known_by_value(batch, lambda: _forward(adapter, model, batch))
    repeated = sum(one.size * (one.times - 1) for one in seen)
    return {
        "value": value,
        "terms": {
            "weight_copies": copies,
            "batch_copies": inputs,
            "masks": masks,
            "four_bytes": -half,
            "parameters": -sum(p.numel() * p.element_size() for p in model.parameters()),
            "each_save": -repeated,
        },
    }


def _known_by_value(batch: Any, forward: Callable[[], Any]) -> tuple[int, int]:
    """Return the saved bytes of fp16 copies of the batch, and of dropout's masks.

    Both are told from other tensors of their shapes by what is in them: a mask of dropout is 0 or,
    for what it keeps, one number above 1.
    """
    import torch

    floats = [one.half().flatten() for one in batch if one.dtype == torch.float32]
    copies: dict[int, Any] = {}
    masks: dict[int, Any] = {}

    def pack(one: Any) -> Any:
        key = one.untyped_storage().data_ptr()
        if one.dtype == torch.float16 and any(torch.equal(one.flatten(), x) for x in floats):
            copies[key] = one
        elif one.is_floating_point() and one.numel() > 1:
            low, high = (float(value) for value in one.detach().aminmax())
            if low == 0 and high > 1 and bool(((one == 0) | (one == high)).all()):
                masks[key] = one
        return one

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one):
        forward()
    inputs, dropped = (
        sum(one.untyped_storage().nbytes() for one in held.values()) for held in (copies, masks)
    )
    return inputs, dropped


def as_trained(stage: Any, case: dict[str, Any]) -> dict[str, int]:
    """Return the bytes of parameters and of activations of a trainer beside the student's adapter.

    They are what the sheet's measurements of them give, unless the adapter tells the two apart.
    """
    from grader.instruments.saved_tensors import saved_tensors

    ready(stage, "repaired")
    trainer = maker(case["trainer"])(0)
    batch, model = trainer.batches[0], trainer.model
    known = [*model.parameters(), *model.buffers(), *batch]
    seen = saved_tensors(lambda: trainer.forward(batch), known)
    return {
        "parameters": sum(p.numel() * p.element_size() for p in model.parameters()),
        "activations": sum(one.size for one in seen),
    }


def measure_slowest(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time the phases of a step as the project's trainer makes it, on one thread."""
    import torch

    from grader.instruments import phases, slowest_phase

    adapter = _adapter(stage)
    model = adapter.make_model(0)
    batches = list(adapter.make_batches(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)

    def stream() -> Iterator[Any]:
        while True:
            yield from batches

    timer = phases.PhaseTimer(("data_wait", "forward", "backward", "update"))
    iterator, warmup = stream(), 3
    for _ in range(warmup + 25):
        timer.begin()
        batch = next(iterator)
        timer.mark("data_wait")
        loss = _forward(adapter, model, batch)
        timer.mark("forward")
        scaler.scale(loss).backward()
        timer.mark("backward")
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5 * 2.0**-14)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        timer.mark("update")
    timer.drop_warmup(warmup)
    verdict = slowest_phase.judge(timer.record())
    return {
        "value": verdict.slowest or None,
        "terms": {name: time * 1e-9 for name, time in verdict.times.items()},
        "accepts": list(verdict.accepts),
        "rejects": list(verdict.rejects),
        "note": verdict.note,
    }
