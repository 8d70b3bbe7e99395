"""Probes of 8.4.k and n: mixed-precision steps, watched call by call."""

from __future__ import annotations

import warnings
from typing import Any

from .handed import answer_of, backward_recorder, device_of, dtype_of


def _scaler(case: dict[str, Any], log: list[str]) -> Any:
    """Return a real scaler that notes the calls that are made of it."""
    import torch

    class Scaler(torch.amp.GradScaler):
        """Torch's scaler with a log."""

        def scale(self, outputs: Any) -> Any:
            log.append("scale")
            return super().scale(outputs)

        def unscale_(self, optimizer: Any) -> None:
            log.append("unscale_")
            return super().unscale_(optimizer)

        def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            log.append("step")
            return super().step(optimizer, *args, **kwargs)

        def update(self, new_scale: Any = None) -> None:
            log.append("update")
            return super().update(new_scale)

    return Scaler("cpu", **case["scaler"])


_ONE_GROUP = (("body", "head"),)


def _optimizer(case: dict[str, Any], model: Any) -> Any:
    """Return an optimizer whose groups hold the parts of the model that the case names."""
    import torch

    kind, options = case["optimizer"]
    groups = [
        {"params": [p for name in names for p in _part(model, name)]}
        for names in case.get("groups", _ONE_GROUP)
    ]
    return getattr(torch.optim, kind)(groups, **options)


def _part(model: Any, name: str) -> list[Any]:
    """Return the parameters of a layer, or a parameter of the model itself."""
    part = getattr(model, name)
    return list(part.parameters()) if hasattr(part, "parameters") else [part]


def _regression(case: dict[str, Any], log: list[str], seen: list[Any]) -> tuple[Any, ...]:
    """Return a model, what its optimizer holds, batches and a loss for the step on trial."""
    import torch

    torch.manual_seed(case["seed"])
    recorder = backward_recorder()

    class Model(torch.nn.Module):
        """Two layers, and parameters that the optimizer may not hold or that are not used."""

        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = torch.nn.Linear(6, 12), torch.nn.Linear(12, 1)
            self.outside = torch.nn.Parameter(torch.zeros(1))
            self.root = torch.nn.Parameter(torch.zeros(1))
            self.idle = torch.nn.Parameter(torch.ones(1))
            self.frozen = torch.nn.Parameter(torch.ones(1), requires_grad=False)

        def forward(self, x: Any) -> Any:
            log.append("forward")
            if case.get("first_without_grad"):
                with torch.no_grad():
                    self.head(torch.tanh(self.body(x)))
            y = self.head(torch.tanh(self.body(x)))
            seen.append(["forward", torch.is_autocast_enabled("cpu"), str(y.dtype)])
            if case.get("rooted"):
                # its value is 0 and its gradient is not finite, that of all others is
                y = y + self.root.sqrt()
            return recorder.apply((y + self.outside * case.get("outside", 0.0)) * self.frozen)

    def loss_fn(output: Any, target: Any) -> Any:
        value = torch.nn.functional.mse_loss(output, target)
        seen.append(["loss", torch.is_autocast_enabled("cpu"), str(value.dtype)])
        return value * case.get("factor", 1.0)

    model = Model()
    named = {name for names in case.get("groups", _ONE_GROUP) for name in names}
    parts = [_part(model, name) for name in ("body", "head", "root", "idle") if name in named]
    held = [p for part in parts for p in part]
    batches = []
    for size in case["sizes"]:
        x, y = torch.randn(size, 6), torch.randn(size, 1) * case.get("spread", 1.0)
        batches.append((x, y))
    return model, held, batches, loss_fn, recorder


def _state(optimizer: Any) -> list[float]:
    """Return every number in an optimizer's state, in a fixed order."""
    import torch

    numbers: list[float] = []
    for entry in optimizer.state.values():
        for key in sorted(entry):
            value = entry[key]
            if isinstance(value, torch.Tensor):
                numbers += value.detach().double().flatten().tolist()
    return numbers


def stepped(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take a few AMP steps and note everything that they did and left."""
    import torch

    log: list[str] = []
    seen: list[Any] = []
    model, held, batches, loss_fn, recorder = _regression(case, log, seen)
    optimizer = _optimizer(case, model)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5) if case["scheduler"] else None
    scaler = _scaler(case, log)
    updates = []
    optimizer.register_step_post_hook(lambda *_: updates.append(len(log)))
    if case.get("stale"):
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.grad = torch.full_like(parameter, case["stale"])
    keywords: dict[str, Any] = {"loss_fn": loss_fn, "dtype": dtype_of(case)}
    if "as_object" in case:
        keywords["device"] = device_of(case)
    if scheduler is not None:
        keywords["scheduler"] = scheduler
    if "floor" in case:
        keywords["floor"] = case["floor"]
    taken = []
    for bad in case["bad"]:
        before = [p.detach().clone() for p in held]
        state, rate = _state(optimizer), optimizer.param_groups[0]["lr"]
        grown, count = scaler.get_scale(), len(log)
        given = batches
        if bad:
            given = [*batches]
            x, y = given[case["bad_place"]]
            given[case["bad_place"]] = (x, y * case["bad_value"])
        answer = answer_of(
            stage.amp_step, model, optimizer, scaler, given, case["max_norm"], **keywords
        )
        value = answer.get("value")
        loss = value.get("loss") if isinstance(value, dict) else None
        moves = [a.detach() - b for a, b in zip(held, before, strict=True)]
        flat = torch.cat([m.flatten() for m in moves])
        taken.append(
            {
                **answer,
                "loss_is_tensor": isinstance(loss, torch.Tensor),
                "loss_has_graph": bool(isinstance(loss, torch.Tensor) and loss.requires_grad),
                "loss_dtype": str(getattr(loss, "dtype", "")),
                "update": float(flat.double().norm()),
                "direction": flat.double().tolist(),
                "state_kept": _state(optimizer) == state,
                "rate": [rate, optimizer.param_groups[0]["lr"]],
                "scales": [grown, scaler.get_scale()],
                "calls": log[count:],
                "grads": sorted({str(p.grad.dtype) for p in held if p.grad is not None}),
            }
        )
    return {
        "steps": taken,
        "updates": len(updates),
        "forwards": [[kind, on, dtype] for kind, on, dtype in seen],
        "backward_in_autocast": any(recorder.seen),
        "backwards": len(recorder.seen),
        "parameters": sorted({str(p.dtype) for p in model.parameters()}),
        "hooks": len(optimizer._optimizer_step_post_hooks),
        "last_epoch": None if scheduler is None else scheduler.last_epoch,
    }


def plain_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Take the gradient of the same batches in float64, without autocast or scaler."""
    import torch

    model, held, batches, loss_fn, _ = _regression(case, [], [])
    model.double()
    losses = [loss_fn(model(x.double()), y.double()) for x, y in batches]
    loss = torch.stack(losses).mean()
    flat = torch.cat([g.flatten() for g in torch.autograd.grad(loss, held)])
    return {"loss": float(loss.detach()), "norm": float(flat.norm()), "gradient": flat.tolist()}


def refused_step(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Ask for a step that must be refused, and look whether it changed anything before."""
    import torch

    log: list[str] = []
    model, held, batches, loss_fn, _ = _regression(case, log, [])
    optimizer = _optimizer(case, model)
    if case["scaler"] == "default":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scaler: Any = torch.amp.GradScaler()
    else:
        scaler = _scaler(case, log)
    before = [p.detach().clone() for p in held]
    for parameter in held:
        parameter.grad = torch.full_like(parameter, 3.0)
    answer = answer_of(
        stage.amp_step,
        model,
        optimizer,
        scaler,
        batches,
        case["max_norm"],
        loss_fn=loss_fn,
        device=device_of(case),
        dtype=dtype_of(case),
    )
    answer.pop("value", None)
    return {
        **answer,
        "enabled": scaler.is_enabled(),
        "calls": log,
        "moved": any(not torch.equal(a, b) for a, b in zip(held, before, strict=True)),
        "gradients_kept": all(p.grad is not None and bool((p.grad == 3.0).all()) for p in held),
    }


def closed_book(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run the closed-book loop, with an ear on every optimizer, module and backward."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    dtypes: list[str] = []
    updates: list[float] = []
    weights: dict[int, Any] = {}

    def ran(module: Any, arguments: Any, output: Any) -> None:
        if isinstance(module, torch.nn.Linear):
            dtypes.append(str(output.dtype))
            weights.setdefault(id(module.weight), module.weight)

    def updated(optimizer: Any, *_: Any) -> None:
        grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        updates.append(float(torch.cat([g.flatten() for g in grads]).norm()))

    handles = [
        torch.nn.modules.module.register_module_forward_hook(ran),
        register_optimizer_step_post_hook(updated),
    ]
    try:
        answer = stage.closed_book_amp(case["steps"], case["bad_step"], case["growth_interval"])
    finally:
        for handle in handles:
            handle.remove()
    return {
        "answer": answer,
        "dtypes": dtypes,
        "updates": updates,
        "layers": len(weights),
        "parameters": sorted({str(w.dtype) for w in weights.values()}),
    }
