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

# region hidden


def _kind(device):
    """Return the type of a device, text."""
    try:
        return torch.device(device).type
    except RuntimeError as error:
        raise ValueError(f"there is no device {device!r}") from error


def _is_here(device):
    """Return whether this machine has a device of that type."""
    kind = _kind(device)
    if kind == "cpu":
        return True
    accelerator = torch.accelerator.current_accelerator()
    here = accelerator is not None and accelerator.type == kind
    return here and torch.accelerator.is_available()


HALVES = (torch.float16, torch.bfloat16)


def _refuse(device, dtype):
    """Raise a ValueError where autocast would disable itself with a warning."""
    if not _is_here(device):
        raise ValueError(f"autocast for {device}, which this machine does not have")
    if dtype not in HALVES:
        raise ValueError(f"autocast to {dtype}: only float16 and bfloat16 are lower precision")


def _norm(gradients):
    """Return the norm of all gradients together, in float64: their squares may overflow float32."""
    squares = [gradient.double().square().sum() for gradient in gradients]
    return sum(squares, torch.zeros((), dtype=torch.float64)).sqrt()


# endregion


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    """Return which dtypes a forward under autocast and its backward produce.

    Runs ``model(x)`` and the mean cross-entropy of its result with the class labels `y` inside
    ``torch.autocast(device, dtype=dtype)``, and the backward outside of it. Dtypes are text
    without the ``torch.`` (``"float32"``).

    The model is left as it was, also after an exception: no hook stays, and the training mode of
    each module, the values of its buffers (running statistics, say, in its state or not) and the
    ``.grad`` of its parameters are unchanged. Where the forward assigns a buffer anew
    (``self.running = ...``), the old tensor, or None, is put back in its place.

    Args:
        model: Module whose output is logits ``[B, C]``.
        x: Its input.
        y: Labels ``[B]``.
        device: Device type of autocast; model and data are there already.
        dtype: ``torch.float16`` or ``torch.bfloat16``.

    Returns:
        A dict with

        - ``"modules"``: for each module without children that ran, by its name in
          ``named_modules()`` (empty for the model itself), the dtype of its output: a tensor, or
          a tuple whose first entry is one. If it ran several times, that of the last.
        - ``"parameters"``: dtype of each parameter, by name.
        - ``"logits"``, ``"loss"``: dtypes of the model's output and of the cross-entropy.
        - ``"gradients"``: dtype of the gradient of each parameter that got one, by name.

    Raises:
        ValueError: If this machine has no such device, or for another dtype: autocast would
            disable itself with a warning, and the map would be that of a float32 run.
    """
    # region 8.4.j
    _refuse(device, dtype)
    seen, handles = {}, []
    modes = [(module, module.training) for module in model.modules()]
    # by name as well: a forward may put another tensor in the place of a buffer, or of a None
    places = [(module._buffers, dict(module._buffers)) for module in model.modules()]
    values = [(buffer, buffer.clone()) for buffer in model.buffers()]

    def text(tensor):
        return str(tensor.dtype).removeprefix("torch.")

    def watch(name):
        def hook(module, arguments, output):
            first = output[0] if isinstance(output, tuple) else output
            seen[name] = text(first)

        return hook

    try:
        for name, module in model.named_modules():
            if not any(module.children()):
                handles.append(module.register_forward_hook(watch(name)))
        with torch.enable_grad():
            with torch.autocast(_kind(device), dtype=dtype):
                logits = model(x)
                loss = F.cross_entropy(logits, y)
            named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
            found = torch.autograd.grad(loss, [p for _, p in named], allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
        for module, training in modes:
            module.training = training
        for place, old in places:
            place.clear()
            place.update(old)
        with torch.no_grad():
            for buffer, value in values:
                buffer.copy_(value)
    return {
        "modules": seen,
        "parameters": {name: text(p) for name, p in model.named_parameters()},
        "logits": text(logits),
        "loss": text(loss),
        "gradients": {
            name: text(grad)
            for (name, _), grad in zip(named, found, strict=True)
            if grad is not None
        },
    }
    # endregion


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
    are dropped first: a parameter that gets no new one is not moved, by weight decay neither.
    Model and loss run inside autocast; no backward does. The gradients are unscaled once, after
    the last backward, then clipped, then the step is taken if the gradients of the optimizer's
    parameters, in all its groups, are finite, however large they are; the scaler is updated once
    whether it was taken or not; the scheduler is stepped only if it was. With a step that is not
    taken weights, buffers of the optimizer and learning rate stay what they were.

    All this holds for a disabled scaler, too, which does not look by itself. A step that is taken
    goes through ``scaler.step``; for one that is not, it may be called (an enabled scaler then
    leaves the step out) or not.

    Args:
        model: Module with float32 parameters.
        optimizer: Any of `torch.optim`; what it holds may be fewer parameters than the model has.
        scaler: `torch.amp.GradScaler`, which may be disabled with bfloat16; never None.
        batches: List of ``(x, y)``, the micro-batches, equally long.
        max_norm: Largest norm of the gradients of *the optimizer's* parameters, all together;
            longer ones are shortened to it. (Those of other parameters are still scaled, and their
            share in a norm would be too.) None for no clipping: the gradients stay what they are.
        loss_fn: Function of ``(model(x), y)`` that returns a scalar.
        scheduler: Learning rate scheduler, or None.
        device: Device type of autocast.
        dtype: ``torch.float16`` or ``torch.bfloat16``.
        floor: Smallest scale to go on with; a disabled scaler has none that could fall.

    Returns:
        A dict with

        - ``"loss"``: mean of the losses, a detached float32 tensor, not scaled.
        - ``"norm"``: norm of the unscaled gradients of the optimizer's parameters before clipping,
          a tensor without dimensions (float32 or float64); not finite if they are not.
        - ``"scale"``: the scale that this step was run with (float); 1.0 with a disabled scaler.
        - ``"stepped"``: whether the optimizer took the step (bool).

    Raises:
        ValueError: If this machine has no such device; for another dtype; for float16 with a
            disabled scaler; without a micro-batch; or if `max_norm` is not above 0. Nothing has
            been changed then.
        RuntimeError: If the scale of an enabled scaler is below `floor` after the update: the loss
            is not finite whatever the scale, and nothing is trained any more.
    """
    # region 8.4.k
    _refuse(device, dtype)
    if dtype == torch.float16 and not scaler.is_enabled():
        raise ValueError("float16 without a scaler: small gradients become 0")
    if not batches:
        raise ValueError("no batch")
    if max_norm is not None and not max_norm > 0:
        raise ValueError(f"no gradient can be shorter than {max_norm}")
    optimizer.zero_grad(set_to_none=True)
    scale, losses = scaler.get_scale(), []
    for x, y in batches:
        with torch.autocast(_kind(device), dtype=dtype):
            loss = loss_fn(model(x), y)
        losses.append(loss.detach().float())
        scaler.scale(loss / len(batches)).backward()
    scaler.unscale_(optimizer)
    held = [p for group in optimizer.param_groups for p in group["params"]]
    grads = [p.grad for p in held if p.grad is not None]
    norm = _norm(grads)
    if max_norm is not None and norm > max_norm:
        for grad in grads:
            # a hair below, as torch's own clipping
            grad.mul_(max_norm / (norm + 1e-6))
    # a disabled scaler steps whatever the gradients are
    fine = scaler.is_enabled() or bool(norm.isfinite())
    taken = []
    handle = optimizer.register_step_post_hook(lambda *_: taken.append(True))
    try:
        if fine:
            scaler.step(optimizer)
    finally:
        handle.remove()
    scaler.update()
    if taken and scheduler is not None:
        scheduler.step()
    if scaler.is_enabled() and scaler.get_scale() < floor:
        raise RuntimeError(f"the loss scale fell to {scaler.get_scale()}: find the first inf")
    return {
        "loss": torch.stack(losses).mean(),
        "norm": norm,
        "scale": scale,
        "stepped": bool(taken),
    }
    # endregion


def needs_scaler(gradients, dtype=torch.float16, scale=1.0, tolerance=0.01):
    """Say what a dtype would do to true gradients, and which scale would save them.

    Args:
        gradients: ``{name: tensor or None}``: gradients in float32 or float64, not scaled; None
            for a parameter that got none.
        dtype: ``torch.float16`` or ``torch.bfloat16``, with its subnormals.
        scale: Loss scale to try: entries are multiplied by it in float64, then cast.
        tolerance: Share of lost entries that can be borne.

    Returns:
        A dict with

        - ``"nonzero"``: number of entries that are not 0, over all gradients (int).
        - ``"underflow"``: share of them that become 0 in `dtype`; 0.0 if there are none.
        - ``"overflow"``: share of them that become infinite; 0.0 if there are none.
        - ``"needed"``: whether `underflow` is above `tolerance`.
        - ``"largest_scale"``: the largest power of two, as a float, that as a scale lets no entry
          exceed ``torch.finfo(dtype).max``; infinite if there is no nonzero entry. It may be below
          1 and does not depend on `scale`. For float64 entries that are so small that it would be
          no float any more, it is ``2.0**1023``, the largest power of two that is one.

    Raises:
        ValueError: If a gradient is of a lower precision than float32, float8 included (what is
            asked about has happened to it already), has an entry that is not finite, `dtype` is
            another, or `scale` is not above 0.
    """
    # region 8.4.l
    if dtype not in HALVES:
        raise ValueError(f"{dtype} is not a lower precision")
    if not scale > 0:
        raise ValueError(f"{scale} is no scale")
    entries = []
    for name, gradient in gradients.items():
        if gradient is None:
            continue
        if gradient.dtype not in (torch.float32, torch.float64):
            raise ValueError(f"the gradient of {name} is {gradient.dtype} already")
        if not torch.isfinite(gradient).all():
            raise ValueError(f"the gradient of {name} is not finite")
        entries.append(gradient.detach().double().flatten())
    flat = torch.cat(entries) if entries else torch.zeros(0, dtype=torch.float64)
    flat = flat[flat != 0]
    if not len(flat):
        return {
            "nonzero": 0, "underflow": 0.0, "overflow": 0.0, "needed": False,
            "largest_scale": math.inf,
        }  # fmt: skip
    # through float32: casting float64 to a half goes that way in any case
    cast = (flat * scale).to(dtype)
    underflow = float((cast == 0).double().mean())
    top = float(flat.abs().max())
    exponent = math.frexp(torch.finfo(dtype).max)[1] - math.frexp(top)[1]
    if math.ldexp(top, exponent) > torch.finfo(dtype).max:
        exponent -= 1
    return {
        "nonzero": len(flat),
        "underflow": underflow,
        "overflow": float(torch.isinf(cast).double().mean()),
        "needed": underflow > tolerance,
        "largest_scale": math.ldexp(1.0, min(exponent, 1023)),
    }
    # endregion


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
    # region 8.4.m
    trained = [p for p in model.parameters() if p.requires_grad]
    problems = {
        "device_absent": not _is_here(device),
        "dtype_unsupported": dtype not in HALVES,
        "no_scaler": dtype == torch.float16 and (scaler is None or not scaler.is_enabled()),
        "low_precision_parameters": any(p.dtype in HALVES for p in trained),
    }
    return [name for name, found in problems.items() if found]
    # endregion


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
    # region 8.4.n
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024, growth_interval=growth_interval)
    x, y = torch.randn(32, 8), torch.randint(4, (32,))
    scales, stepped, norms = [], [], []
    for iteration in range(1, steps + 1):
        before = [p.detach().clone() for p in model.parameters()]
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
            if iteration == bad_step:
                loss = loss * math.inf
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), 1.0)))
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
        after = model.parameters()
        stepped.append(any(not torch.equal(a, b) for a, b in zip(before, after, strict=True)))
    return {
        "scales": scales,
        "stepped": stepped,
        "norms": norms,
        "order": "First scale the loss, then backward, unscale, clip, step and update.",
    }
    # endregion
