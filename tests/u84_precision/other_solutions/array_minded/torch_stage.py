"""Copies, tensors and comparisons: a deep copy is mapped, the scale tells what was stepped."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional

LOW = {torch.float16, torch.bfloat16}


def _there(device):
    kind = torch.device(device).type
    if kind == "cpu":
        return True
    module = getattr(torch, kind, None)
    return bool(module is not None and hasattr(module, "is_available") and module.is_available())


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    if dtype not in LOW or not _there(device):
        raise ValueError("autocast would be off")
    twin = copy.deepcopy(model)
    twin.zero_grad()
    names = {module: name for name, module in twin.named_modules() if not list(module.children())}
    seen = {}

    def look(module, arguments, output):
        if module in names:
            output = output if isinstance(output, torch.Tensor) else output[0]
            seen[names[module]] = str(output.dtype)[6:]

    handle = torch.nn.modules.module.register_module_forward_hook(look)
    try:
        with torch.enable_grad(), torch.autocast(torch.device(device).type, dtype):
            logits = twin(x)
            loss = functional.cross_entropy(logits, y)
    finally:
        handle.remove()
    loss.backward()
    parameters = dict(twin.named_parameters())
    return {
        "modules": seen,
        "parameters": {n: str(p.dtype)[6:] for n, p in parameters.items()},
        "logits": str(logits.dtype)[6:],
        "loss": str(loss.dtype)[6:],
        "gradients": {
            n: str(p.grad.dtype)[6:] for n, p in parameters.items() if p.grad is not None
        },
    }


def amp_step(
    model, optimizer, scaler, batches, max_norm=None, *, loss_fn=functional.cross_entropy,
    scheduler=None,
    device="cpu", dtype=torch.float16, floor=0.0,
):  # fmt: skip
    problems = [
        not _there(device),
        dtype not in LOW,
        dtype is torch.float16 and not scaler.is_enabled(),
        len(batches) == 0,
        max_norm is not None and (math.isnan(max_norm) or max_norm <= 0),
    ]
    if any(problems):
        raise ValueError(f"refused: {problems}")
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    before = scaler.get_scale()
    with torch.autocast(torch.device(device).type, dtype):
        losses = torch.stack([loss_fn(model(x), y).float() for x, y in batches])
    mean = losses.mean()
    scaler.scale(mean).backward()
    scaler.unscale_(optimizer)
    grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
    norm = torch.stack([g.double().norm() for g in grads]).norm()
    if max_norm is not None and norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    stepped = bool(norm.isfinite())
    if stepped:
        scaler.step(optimizer)
    scaler.update()
    if stepped and scheduler:
        scheduler.step()
    if scaler.is_enabled() and scaler.get_scale() < floor:
        raise RuntimeError("the scale is too small")
    return {"loss": mean.detach(), "norm": norm, "scale": before, "stepped": stepped}


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    if dtype not in LOW or not scale > 0:
        raise ValueError("dtype")
    here = [g for g in gradients.values() if g is not None]
    full = (torch.float32, torch.float64)
    if any(g.dtype not in full or not g.isfinite().all() for g in here):
        raise ValueError("gradients")
    flat = torch.cat([torch.zeros(0, dtype=torch.float64), *(g.double().reshape(-1) for g in here)])
    flat = flat[flat.nonzero().squeeze(1)]
    count = flat.numel()
    low = (flat * scale).to(dtype)
    lost, gone = (low == 0).sum() / max(count, 1), low.isinf().sum() / max(count, 1)
    best, limit = math.inf, torch.finfo(dtype).max
    if count:
        best, top = 1.0, flat.abs().max().item()
        while best * top > limit:
            best /= 2
        while 2 * best * top <= limit and best < 2.0**1023:
            best *= 2
    return {
        "nonzero": count,
        "underflow": lost,
        "overflow": gone,
        "needed": bool(lost > tolerance),
        "largest_scale": best,
    }


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    found = []
    if not _there(device):
        found.append("device_absent")
    if dtype not in LOW:
        found.append("dtype_unsupported")
    if dtype is torch.float16 and not (scaler and scaler.is_enabled()):
        found.append("no_scaler")
    if any(p.requires_grad and p.dtype in LOW for _, p in model.named_parameters()):
        found.append("low_precision_parameters")
    return tuple(found)


def closed_book_amp(steps, bad_step, growth_interval):
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", 1024.0, growth_interval=growth_interval)
    x = torch.randn(16, 4)
    scales, stepped, norms = torch.zeros(steps), [], torch.zeros(steps)
    for i in range(steps):
        old = nn.utils.parameters_to_vector(model.parameters()).detach()
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16):
            loss = (model(x).float() - 100).pow(2).mean()
            loss = loss * (math.inf if i + 1 == bad_step else 1e-2)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norms[i] = nn.utils.clip_grad_norm_(model.parameters(), 1)
        scaler.step(optimizer)
        scaler.update()
        scales[i] = scaler.get_scale()
        stepped.append(not torch.equal(old, nn.utils.parameters_to_vector(model.parameters())))
    return {
        "scales": scales.tolist(), "stepped": stepped, "norms": norms.tolist(),
        "order": "One has to scale, call Backward, unscale the gradients, clip them, step, update.",
    }  # fmt: skip
