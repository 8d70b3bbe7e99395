"""Loops over parameters, no hooks of torch.nn, clipping by hand."""

import math

import torch
from torch import nn
from torch.nn import functional


def _absent(device):
    kind = device.type if isinstance(device, torch.device) else str(device).split(":")[0]
    if kind == "cpu":
        return False
    current = torch.accelerator.current_accelerator(check_available=True)
    return current is None or current.type != kind


def _low(dtype):
    return dtype in (torch.float16, torch.bfloat16)


def _name(dtype):
    return {torch.float16: "float16", torch.bfloat16: "bfloat16", torch.float32: "float32"}[dtype]


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    if _absent(device) or not _low(dtype):
        raise ValueError(f"{device}, {dtype}")
    seen, kept = {}, {}
    running = []
    for name, module in model.named_modules():
        for key, buffer in module._buffers.items():
            running.append((module, key, buffer, None if buffer is None else buffer.clone()))
        if list(module.children()):
            continue

        def forward(*arguments, _name_of=name, _plain=module.forward, **named):
            output = _plain(*arguments, **named)
            first = output[0] if type(output) is tuple else output
            seen[_name_of] = _name(first.dtype)
            return output

        kept[name] = module
        module.__dict__["forward"] = forward
    try:
        with torch.autocast(device_type=str(device).split(":")[0], dtype=dtype, enabled=True):
            logits = model(x)
            loss = nn.CrossEntropyLoss()(logits, y)
    finally:
        for module in kept.values():
            del module.__dict__["forward"]
        for module, key, buffer, value in running:
            setattr(module, key, buffer)
            if buffer is not None:
                buffer.data.copy_(value)
    gradients = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (found,) = torch.autograd.grad(loss, parameter, retain_graph=True, allow_unused=True)
            if found is not None:
                gradients[name] = _name(found.dtype)
    return {
        "modules": seen,
        "parameters": {name: _name(p.dtype) for name, p in model.named_parameters()},
        "logits": _name(logits.dtype),
        "loss": _name(loss.dtype),
        "gradients": gradients,
    }


def amp_step(
    model, optimizer, scaler, batches, max_norm=None, *, loss_fn=functional.cross_entropy,
    scheduler=None,
    device="cpu", dtype=torch.float16, floor=0.0,
):  # fmt: skip
    if _absent(device):
        raise ValueError("device")
    if not _low(dtype) or (dtype == torch.float16 and not scaler.is_enabled()):
        raise ValueError("dtype or scaler")
    if not list(batches) or (max_norm is not None and not max_norm > 0):
        raise ValueError("batches or max_norm")
    optimizer.zero_grad()
    total, scale = torch.zeros(()), float(scaler.get_scale())
    for x, y in batches:
        with torch.autocast(str(device), dtype=dtype):
            loss = loss_fn(model(x), y) / len(batches)
        total += loss.detach()
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    parameters = []
    for group in optimizer.param_groups:
        parameters.extend(p for p in group["params"] if p.grad is not None)
    square = sum(float(p.grad.double().square().sum()) for p in parameters)
    norm = math.sqrt(square) if math.isfinite(square) else math.inf
    if max_norm is not None and math.isfinite(norm) and norm > max_norm:
        for parameter in parameters:
            parameter.grad *= max_norm / norm
    taken = math.isfinite(norm)
    if taken or scaler.is_enabled():
        scaler.step(optimizer)
    scaler.update()
    if taken and scheduler is not None:
        scheduler.step()
    if scaler.is_enabled() and scaler.get_scale() < floor:
        raise RuntimeError("floor")
    return {"loss": total, "norm": norm, "scale": scale, "stepped": taken}


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    if not _low(dtype) or not scale > 0:
        raise ValueError(dtype, scale)
    nonzero = under = over = 0
    top = 0.0
    for gradient in gradients.values():
        if gradient is None:
            continue
        if gradient.dtype not in (torch.float32, torch.float64):
            raise ValueError(gradient.dtype)
        for entry in gradient.flatten().tolist():
            if not math.isfinite(entry):
                raise ValueError(entry)
            if entry == 0:
                continue
            nonzero += 1
            top = max(top, abs(entry))
            after = float(torch.tensor(entry * scale, dtype=torch.float64).to(dtype))
            under += after == 0
            over += math.isinf(after)
    share = under / nonzero if nonzero else 0.0
    best = math.inf
    if nonzero:
        power = math.floor(math.log2(torch.finfo(dtype).max) - math.log2(top)) + 2
        while math.ldexp(top, power) > torch.finfo(dtype).max:
            power -= 1
        best = 2.0 ** min(power, 1023)
    return {
        "nonzero": nonzero, "underflow": share, "overflow": over / nonzero if nonzero else 0.0,
        "needed": share > tolerance, "largest_scale": best,
    }  # fmt: skip


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    problems = []
    if _absent(device):
        problems += ["device_absent"]
    if not _low(dtype):
        problems += ["dtype_unsupported"]
    if dtype == torch.float16 and not (scaler is not None and scaler.is_enabled()):
        problems += ["no_scaler"]
    for parameter in model.parameters():
        if _low(parameter.dtype) and parameter.requires_grad:
            problems += ["low_precision_parameters"]
            break
    return problems


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 10), nn.Linear(10, 3)

    def forward(self, x):
        return self.second(self.first(x).relu())


def closed_book_amp(steps, bad_step, growth_interval):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=growth_interval)
    x, y = torch.rand(20, 6), torch.arange(20) % 3
    result = {"scales": [], "stepped": [], "norms": []}
    for number in range(1, steps + 1):
        old = [p.clone() for p in net.parameters()]
        with torch.autocast("cpu", dtype=torch.float16):
            loss = functional.cross_entropy(net(x), y)
        if number == bad_step:
            loss = loss * float("inf")
        net.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        square = sum(p.grad.square().sum() for p in net.parameters())
        norm = square.sqrt().item()
        if norm > 1:
            for p in net.parameters():
                p.grad /= norm
        scaler.step(optimizer)
        scaler.update()
        result["scales"].append(scaler.get_scale())
        result["norms"].append(norm)
        result["stepped"].append(
            any((a != b).any().item() for a, b in zip(old, net.parameters(), strict=True))
        )
    result["order"] = (
        "Scale, backward, unscale, clip, step, update; clipping in between is by hand."
    )
    return result
