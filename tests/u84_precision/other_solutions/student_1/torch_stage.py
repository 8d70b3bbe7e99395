"""Unit 8.4, PyTorch stage: autocast, gradient scaling, and what shows that they work.

Everything runs on a CPU: `torch.autocast("cpu", ...)` and `torch.amp.GradScaler("cpu")` are the
real ones. A `device` is text or a `torch.device`, a `dtype` a `torch.dtype`. A function that
changes a setting of the process (autocast, gradients, hooks) puts it back before it returns, also
when it raises. Warnings about a disabled autocast or scaler mean that something else than what was
asked for runs: none of these functions lets that happen.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


from contextlib import ExitStack

_LOW = (torch.float16, torch.bfloat16)


def _device_type(device):
    """Return the type of a device that this machine has, else None."""
    try:
        device = torch.device(device)
    except RuntimeError:
        return None
    if device.type == "cpu":
        return "cpu"
    home = torch.backends.mps if device.type == "mps" else getattr(torch, device.type, None)
    if not hasattr(home, "is_available") or not home.is_available():
        return None
    if device.index and hasattr(home, "device_count") and device.index >= home.device_count():
        return None
    return device.type


def _autocast_type(device, dtype):
    kind = _device_type(device)
    if kind is None or dtype not in _LOW:
        raise ValueError(f"no autocast on {device} with {dtype}")
    return kind


def _word(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    """Return which dtypes a forward under autocast and its backward produce.

    Runs ``model(x)`` and the mean cross-entropy of its result with the class labels `y` inside
    ``torch.autocast(device, dtype=dtype)``, and the backward outside of it. Dtypes are text
    without the ``torch.`` (``"float32"``).

    The model is left as it was: no hook stays (nor after an exception), training mode and the
    ``.grad`` of its parameters are unchanged.

    Args:
        model: Module whose output is logits ``[B, C]``.
        x: Its input.
        y: Labels ``[B]``.
        device: Device type of autocast; model and data are there already.
        dtype: ``torch.float16`` or ``torch.bfloat16``.

    Returns:
        A dict with

        - ``"modules"``: for each module without children that ran, by its name in
          ``named_modules()``, the dtype of its output: a tensor, or a tuple whose first entry is
          one. If it ran several times, that of the last.
        - ``"parameters"``: dtype of each parameter, by name.
        - ``"logits"``, ``"loss"``: dtypes of the model's output and of the cross-entropy.
        - ``"gradients"``: dtype of the gradient of each parameter that got one, by name.

    Raises:
        ValueError: If this machine has no such device, or for another dtype: autocast would
            disable itself with a warning, and the map would be that of a float32 run.
    """
    kind = _autocast_type(device, dtype)
    modules = {}

    def watch(name):
        def hook(module, args, output):
            first = output[0] if isinstance(output, tuple) and output else output
            if isinstance(first, torch.Tensor):
                modules[name] = _word(first)

        return hook

    named = dict(model.named_parameters())
    trained = {name: p for name, p in named.items() if p.requires_grad}
    buffers = {name: b.clone() for name, b in model.named_buffers()}
    empty = [(m, name) for m in model.modules() for name, b in m._buffers.items() if b is None]
    with ExitStack() as stack:
        for module, name in empty:
            stack.callback(setattr, module, name, None)
        stack.enter_context(torch.enable_grad())
        for name, module in model.named_modules():
            if not any(True for _ in module.children()):
                stack.enter_context(module.register_forward_hook(watch(name)))
        with torch.autocast(kind, dtype=dtype):
            logits = torch.func.functional_call(model, buffers, (x,))
            loss = F.cross_entropy(logits, y)
        with torch.autocast(kind, enabled=False):
            found = [None] * len(trained)
            if trained and loss.requires_grad:
                found = torch.autograd.grad(loss, list(trained.values()), allow_unused=True)
    return {
        "modules": modules,
        "parameters": {name: _word(p) for name, p in named.items()},
        "logits": _word(logits),
        "loss": _word(loss),
        "gradients": {name: _word(g) for name, g in zip(trained, found) if g is not None},
    }


def amp_step(
    model,
    optimizer,
    scaler,
    batches,
    max_norm=None,
    *,
    loss_fn=F.cross_entropy,
    scheduler=None,
    device="cpu",
    dtype=torch.float16,
    floor=0.0,
):
    """Run one optimizer step under autocast, over one or more micro-batches.

    The gradients of the step are those of the mean of the micro-batches' losses. Old gradients
    are dropped first. Model and loss run inside autocast; no backward does. The gradients are
    unscaled once, after the last backward, then clipped, then the step is taken if they are
    finite; the scaler is updated once whether it was taken or not; the scheduler is stepped only
    if it was. With a step that is not taken weights, buffers of the optimizer and learning rate
    stay what they were.

    Args:
        model: Module with float32 parameters.
        optimizer: Any of `torch.optim`; what it holds may be fewer parameters than the model has.
        scaler: `torch.amp.GradScaler`, which may be disabled with bfloat16.
        batches: List of ``(x, y)``, the micro-batches, equally long.
        max_norm: Largest norm of the gradients of *the optimizer's* parameters, all together;
            longer ones are shortened to it. (Those of other parameters are still scaled, and their
            share in a norm would be too.) None for no clipping.
        loss_fn: Function of ``(model(x), y)`` that returns a scalar.
        scheduler: Learning rate scheduler, or None.
        device: Device type of autocast.
        dtype: ``torch.float16`` or ``torch.bfloat16``.
        floor: Smallest scale to go on with.

    Returns:
        A dict with

        - ``"loss"``: mean of the losses, a detached float32 tensor, not scaled.
        - ``"norm"``: norm of the unscaled gradients of the optimizer's parameters before clipping,
          a tensor; not finite if they are not.
        - ``"scale"``: the scale that this step was run with (float); 1.0 with a disabled scaler.
        - ``"stepped"``: whether the optimizer took the step (bool).

    Raises:
        ValueError: If this machine has no such device; for another dtype; for float16 with a
            disabled scaler; without a micro-batch; or if `max_norm` is not above 0. Nothing has
            been changed then.
        RuntimeError: If the scale is below `floor` after the update: the loss is not finite
            whatever the scale, and nothing is trained any more.
    """
    kind, batches = _autocast_type(device, dtype), list(batches)
    if dtype == torch.float16 and not scaler.is_enabled():
        raise ValueError("float16 needs a scaler that is enabled")
    if not batches or (max_norm is not None and not max_norm > 0):
        raise ValueError("at least one micro-batch, and a norm above 0")
    scale, losses = float(scaler.get_scale()), []
    model.zero_grad(set_to_none=True)
    optimizer.zero_grad(set_to_none=True)
    with torch.enable_grad():
        for x, y in batches:
            with torch.autocast(kind, dtype=dtype):
                loss = loss_fn(model(x), y)
            with torch.autocast(kind, enabled=False):
                scaler.scale(loss.float() / len(batches)).backward()
            losses.append(loss.detach().float())
    scaler.unscale_(optimizer)
    gradients = [
        p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None
    ]
    norms = [torch.linalg.vector_norm(g, dtype=torch.float64) for g in gradients]
    norm = torch.linalg.vector_norm(torch.stack(norms)) if norms else torch.zeros((), dtype=torch.float64)
    stepped = bool(norm.isfinite())
    if stepped:
        if max_norm is not None and norm > max_norm:
            for g in gradients:
                g.mul_(float(max_norm) / norm.item())
        scaler.step(optimizer)
    scaler.update()
    if stepped and scheduler is not None:
        scheduler.step()
    if scaler.is_enabled() and scaler.get_scale() < floor:
        raise RuntimeError(f"the scale {scaler.get_scale()} is below {floor}: nothing is trained")
    return {
        "loss": torch.stack(losses).mean(),
        "norm": norm.float(),
        "scale": scale,
        "stepped": stepped,
    }


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    """Say what a dtype would do to true gradients, and which scale would save them.

    Args:
        gradients: ``{name: tensor or None}``: gradients in float32 or float64, not scaled; None
            for a parameter that got none.
        dtype: ``torch.float16`` or ``torch.bfloat16``, with its subnormals.
        scale: Loss scale to try, above 0: entries are multiplied by it in float64, then cast.
        tolerance: Share of lost entries that can be borne.

    Returns:
        A dict with

        - ``"nonzero"``: number of entries that are not 0, over all gradients (int).
        - ``"underflow"``: share of them that become 0 in `dtype`; 0.0 if there are none.
        - ``"overflow"``: share of them that become infinite; 0.0 if there are none.
        - ``"needed"``: whether `underflow` is above `tolerance`.
        - ``"largest_scale"``: the largest power of two, as a float, that as a scale lets no entry
          exceed ``torch.finfo(dtype).max``; infinite if there is no nonzero entry. It may be below
          1 and does not depend on `scale`.

    Raises:
        ValueError: If a gradient is of a lower precision than float32 (what is asked about has
            happened to it already), has an entry that is not finite, or `dtype` is another.
    """
    if dtype not in _LOW or not scale > 0:
        raise ValueError("float16 or bfloat16, and a scale above 0")
    tensors = [g.detach() for g in gradients.values() if g is not None]
    if any(g.dtype not in (torch.float32, torch.float64) for g in tensors):
        raise ValueError("true gradients are float32 or float64")
    flat = torch.cat([torch.zeros(0, dtype=torch.float64), *(g.double().flatten().cpu() for g in tensors)])
    if not flat.isfinite().all():
        raise ValueError("a gradient is not finite")
    flat = flat[flat != 0]
    cast = (flat * float(scale)).to(dtype)
    count = flat.numel()
    lost, burst = ((t.sum().item() / count if count else 0.0) for t in (cast == 0, cast.isinf()))
    largest = math.inf
    if count:  # a * 2**k <= b, exactly
        (a, ea), (b, eb) = map(math.frexp, (flat.abs().max().item(), torch.finfo(dtype).max))
        largest = math.ldexp(1.0, min(eb - ea - (a > b), 1023))
    return {
        "nonzero": count,
        "underflow": lost,
        "overflow": burst,
        "needed": lost > tolerance,
        "largest_scale": largest,
    }


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    """Return what is wrong with a mixed-precision set-up, before it trains something else.

    PyTorch only warns in most of these cases and goes on in float32, or without scaling.

    Args:
        model: The module that is to be trained.
        scaler: `torch.amp.GradScaler` or None.
        device: Device type that autocast is meant for.
        dtype: The dtype that autocast is meant to use.

    Returns:
        List of words in this order, empty if all is well:

        - ``"device_absent"``: this machine has no such device, so that autocast disables itself.
        - ``"dtype_unsupported"``: neither float16 nor bfloat16, so that autocast disables itself.
        - ``"no_scaler"``: float16 without a scaler, or with a disabled one, as
          ``torch.amp.GradScaler()`` is on a machine without CUDA.
        - ``"low_precision_parameters"``: a parameter that is trained is float16 or bfloat16
          (``model.half()``), so that small updates are lost. Frozen ones may be.
    """
    wrong = {
        "device_absent": _device_type(device) is None,
        "dtype_unsupported": dtype not in _LOW,
        "no_scaler": dtype == torch.float16 and (scaler is None or not scaler.is_enabled()),
        "low_precision_parameters": any(
            p.requires_grad and p.dtype in _LOW for p in model.parameters()
        ),
    }
    return [word for word, found in wrong.items() if found]


def closed_book_amp(steps, bad_step, growth_interval):
    """Closed book: train a small MLP in float16 with a loss scaler that meets one overflow.

    Without notes, on a CPU: an MLP of at least two `nn.Linear`, float32 parameters, an optimizer
    of `torch.optim`, a batch, and ``torch.amp.GradScaler("cpu", init_scale=1024,
    growth_interval=growth_interval)``. Run `steps` iterations with the forward and the loss under
    float16 autocast. In iteration `bad_step`, and in no other, multiply the loss by infinity. Clip
    the true gradients to a norm of 1 in every iteration.

    Args:
        steps: Iterations.
        bad_step: The one that overflows, counted from 1.
        growth_interval: Of the scaler.

    Returns:
        A dict with

        - ``"scales"``: the scale after each iteration (list of floats).
        - ``"stepped"``: for each iteration whether the weights moved (list of bools).
        - ``"norms"``: for each iteration the norm of the true gradients before clipping (list of
          floats; not finite in `bad_step`).
        - ``"order"``: one sentence that contains the words scale, backward, unscale, clip, step
          and update, each for the first time in the order in which they are done.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        x, y = torch.randn(256, 8) / 8, torch.arange(256) % 4
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=growth_interval)
    scales, stepped, norms = [], [], []
    for iteration in range(1, steps + 1):
        before = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
            if iteration == bad_step:
                loss = loss * math.inf
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
        stepped.append(not torch.equal(before, nn.utils.parameters_to_vector(model.parameters())))
    order = "First scale the loss, then backward, unscale, clip, step and at last update."
    return {"scales": scales, "stepped": stepped, "norms": norms, "order": order}
