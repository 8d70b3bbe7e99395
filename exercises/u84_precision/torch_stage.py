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
    raise NotImplementedError("8.4.j")


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
    raise NotImplementedError("8.4.k")


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
    raise NotImplementedError("8.4.l")


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
    raise NotImplementedError("8.4.m")


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
    raise NotImplementedError("8.4.n")
