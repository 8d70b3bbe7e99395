"""Unit 8.5, PyTorch stage: find the first bad value of a step, name its cause, and guard.

A value is *bad* if it is NaN, +inf or -inf; a *kind* is the text ``"nan"``, ``"+inf"`` or
``"-inf"``. An index is a tuple with one integer for each dimension, ``()`` for a tensor without
dimensions; the first entry is the one with the smallest index in row-major order, however the
tensor lies in memory. Integer and boolean tensors are never bad, nor is an empty one.

A function that looks puts back what it changed: hooks are taken off, also when the model raises;
anomaly detection, gradient mode, filters of warnings and torch's global RNG are as before.
Everything runs on a CPU.
"""

import re
import warnings
from collections.abc import Mapping

import torch


def first_bad_forward(model, batch, allow=()):
    """Run a model once and return the first bad value that one of its leaf modules gave out.

    Leaf modules are those without children; their names are those of ``model.named_modules()``,
    and a model without children is its own leaf, named ``""``. First means first in the order in
    which the modules run, not in which they are listed. A look that reports a container, or that
    keeps the last find, names a victim.

    The model runs without gradients, each of its modules in the mode it is in. Afterwards its
    buffers (the running statistics of a BatchNorm, and any other) hold what they held, the RNG is
    where it was, and no hook is left but those that others had put on, also when the model or such
    a hook raises; the error is passed on, unless a bad value came before it.

    Args:
        model: An `nn.Module`.
        batch: A tensor, a tuple of positional arguments, or a dict of named arguments.
        allow: Names, in a list, tuple or set, of modules that may give out -inf: masks. NaN and
            +inf are bad there too.

    Returns:
        None if every output is fine, else a dict with

        - ``"module"``: name of the leaf module.
        - ``"call"``: which of its calls it was, from 0; a module may be used several times.
        - ``"output"``: which tensor of its output, from 0: lists, tuples and dicts are gone through
          in order, and into one another, subclasses such as named tuples, too; what is no tensor
          does not count. 0 for a single tensor.
        - ``"index"``, ``"kind"``: of the first bad entry of that tensor.
        - ``"born"``: True if all floating-point tensors that went into the call were finite (those
          in lists, tuples and dicts, too); False if one was not, so that the module may be a victim
          of code between the modules, which no hook sees.
    """
    raise NotImplementedError("8.5.h")


def first_bad_backward(loss):
    """Run ``loss.backward()`` once and return where the first bad gradient appeared.

    The nodes of the graph are all that can be reached from ``loss.grad_fn`` through
    ``next_functions``, leaves (`AccumulateGrad`) included. A hook on a node
    (``node.register_hook``) is called after the node has run, with the gradients that it gave out
    and those that came in. Nodes run in the order that the engine chooses; of each, what came in is
    looked at before what it gave out. Anomaly detection would see NaN alone; look for infinities
    as well.

    A bad gradient that comes *in* where every node before gave out finite ones was made between
    nodes: gradients of one value that is used twice are added up, and the sum can overflow.

    Graphs may be thousands of nodes deep, and have more paths than can be walked.

    Args:
        loss: A tensor of one entry with a graph.

    Returns:
        None if all gradients are finite, else a dict with

        - ``"node"``: its name, such as ``"SqrtBackward0"`` (``node.name()``).
        - ``"nth"``: how many nodes of that name ran before it in this backward (0 for the first).
        - ``"side"``: ``"out"`` if the gradients that came in were finite and one that it gave out
          is not, ``"in"`` if one that came in was bad already.
        - ``"kind"``: of the first bad entry of the first bad gradient of that side, in the order of
          its gradients.

        The gradients are added to ``.grad``, the same bits as without the hooks.

    Raises:
        ValueError: If `loss` has no graph.
    """
    raise NotImplementedError("8.5.i")


def replay_anomaly(fn, rng_state=None):
    """Run a failed step again under anomaly detection and return the node that it names.

    Anomaly detection (`torch.autograd.detect_anomaly`) makes a step several times slower, so it
    is for a replay and not for training. It stops at the first node that gives out NaN with a
    RuntimeError such as ``Function 'SqrtBackward0' returned nan values in its 0th output.``, and
    says nothing about infinities. When the NaN was born in the forward it names the first node
    whose gradient is spoiled by it, which consumed the value and did not make it.

    A replay is worth something only if it draws the dropout masks of the failed step: it starts
    with torch's global RNG at `rng_state`. Afterwards the RNG is where it was before the call, and
    anomaly detection is what it was (on, on without NaN checks, or off), also when something
    raises.

    Args:
        fn: Function without arguments that runs the forward and returns the loss, with a new graph;
            it is called once.
        rng_state: From `torch.get_rng_state()` before the failed step; None: as it is now.

    Returns:
        Name of the node as text, None if anomaly detection finds nothing. Any other error, and an
        error of `fn` itself, is passed on. What the step leaves in ``.grad`` is of no use.
    """
    raise NotImplementedError("8.5.j")


def nonfinite_counts(tensors):
    """Count the bad entries of many tensors, and wait for the device once.

    ``.item()``, ``bool(...)``, ``.tolist()`` and the like wait until a device has computed the
    value. One for each parameter makes the guard dearer than the step. Count on the device, put the
    counts together there, and bring them over at once.

    Args:
        tensors: Dict of named tensors, for example gradients; any shapes and dtypes, on one
            device; left as it is. None stands for a gradient that is not there.

    Returns:
        ``{name: count}`` in the order of `tensors`, integers; None where there was None, since not
        measured is not zero. Whatever the number of tensors, exactly one host sync (none is needed
        if there is no tensor).
    """
    raise NotImplementedError("8.5.k")


def guarded_step(model, optimizer, loss, max_norm=1.0):
    """Backward, clip and step, unless the loss or a gradient is bad: then skip, and say so.

    One bad entry in one gradient makes the global norm bad, and clipping by it spreads NaN over
    all parameters in one step. A loss can be NaN while every gradient is finite, so it counts too.
    Huge but finite gradients are no reason to skip: their squares overflow float32 although they do
    not, and a clip by an infinite norm makes them all 0. Take the norm in float64.

    1. Gradients that are there already are dropped, and ``loss.backward()`` is run.
    2. If the loss or a gradient of ``model.parameters()`` is bad, nothing is updated: parameters
       and the optimizer's state keep every bit.
    3. Otherwise gradients whose global norm (the root of the sum of all squares) exceeds
       `max_norm` are multiplied by ``max_norm / norm``, and the optimizer steps once.
    4. All gradients are dropped (None), so that a bad one cannot stay.

    Args:
        model: An `nn.Module`; a parameter that got no gradient takes no part.
        optimizer: Of its parameters, or of some of them.
        loss: A tensor of one entry with a graph.
        max_norm: Positive; infinity is no limit.

    Returns:
        ``{"stepped": bool, "loss": float, "norm": float, "bad": {name: count}}``: the global norm
        before clipping within a relative error of 1e-4 (NaN or inf where a gradient is bad), and
        for each parameter with bad entries in its gradient how many; ``{}`` if there are none.

    Raises:
        ValueError: If `max_norm` is not positive; nothing has happened then.
    """
    raise NotImplementedError("8.5.l")


def where_safe(function, x, keep, safe, other):
    """Return ``function(x)`` where `keep` and `other` elsewhere, with a gradient that is finite.

    ``torch.where(keep, function(x), other)`` looks right, forward. In the backward the branch that
    was not chosen gets gradient 0, and 0 times an infinite or NaN derivative is NaN: the gradient
    is spoiled at an entry whose value is correct. Give the function a harmless input there: a
    `where` before it and one after it.

    Args:
        function: Works on each entry by itself, such as `torch.sqrt`; it may be undefined where
            `keep` is False and must not see those entries.
        x: Floating-point tensor of any shape; left as it is.
        keep: Boolean tensor that broadcasts to the shape of `x`.
        safe: A number at which `function` and its derivative are finite.
        other: A number, infinite perhaps, or a tensor that broadcasts to the shape of `x` and may
            have a gradient of its own (``other=x``, say), which it gets where `keep` is False and
            nowhere else.

    Returns:
        Tensor of the shape and dtype of `x`.
    """
    raise NotImplementedError("8.5.m")


def unit_rows(x, eps=1e-6):
    """Return ``x / max(|x|, eps)`` with the Euclidean norm of each row, for rows of any size.

    The last dimension is a row. A root has an infinite slope at 0, so the row of a dead unit makes
    NaN in the backward if only the *result* is clamped: ``(x*x).sum().rsqrt().clamp(max=1/eps)``.
    What goes into the root must be bounded. For rows shorter than `eps` the result is ``x / eps``,
    and so is its gradient: that of a row of zeros is the upstream gradient over `eps`.

    The squares of a row may overflow or vanish where the row does not: a float32 row with entries
    as large as 1e30 has a unit row too, and so has one with entries of 1e-30 if `eps` is smaller.

    Args:
        x: float32 or float64, at least one dimension; rows may be empty.
        eps: Positive number.

    Returns:
        Tensor of the shape and dtype of `x`, with a gradient that is finite for finite upstream
        gradients (as far as the true one fits the dtype).
    """
    raise NotImplementedError("8.5.n")


def additive_mask(keeps, dtype):
    """Return one additive attention mask for several boolean ones, with finite entries alone.

    The mask is added to scores before a softmax: 0 where every mask keeps, and half the most
    negative finite number of `dtype` elsewhere, ``torch.finfo(dtype).min / 2``. Two masks that are
    filled first and added afterwards overflow to -inf where both apply, and a row of -inf alone is
    NaN after the softmax. The half leaves room for the scores.

    Args:
        keeps: List of boolean tensors that broadcast together; True may be seen.
        dtype: float16, bfloat16 or float32.

    Returns:
        Tensor of that dtype and of the shape to which `keeps` broadcast.

    Raises:
        ValueError: If the list is empty, or one of them is not boolean: it was filled already.
    """
    raise NotImplementedError("8.5.o")


def assert_finite(function, inputs):
    """A guard test: fail if a function gives a bad value or a bad gradient at one of the inputs.

    Each input is copied to a new leaf that needs a gradient; the function's result is looked at,
    then, if it has a graph, the gradient of the sum of its entries with respect to that leaf. It
    must fail on the faulty code and pass on the repaired one, or it guards nothing.

    Args:
        function: Takes one floating-point tensor, returns a tensor of any dtype.
        inputs: List of floating-point tensors; they and their ``.grad`` are left alone.

    Raises:
        AssertionError: At the first input that fails. The message holds the number of the input,
            from 0, and one of the words ``value`` and ``gradient``, not both; the value is looked
            at first. For example ``input 2: the gradient is nan at (0, 1)``. If `function` itself
            raises, that error is passed on.
    """
    raise NotImplementedError("8.5.p")


def post_mortem(model, batch, loss_fn):
    """Run one failed step again; return its cause, and what speaks against the other suspects.

    Five suspects, in the order in which a step meets them, each with a number:

    - ``"input"``: bad entries of ``x``.
    - ``"weights"``: bad entries of the parameters and buffers, each counted once.
    - ``"forward"``: bad entries in the outputs of the leaf modules, over all calls.
    - ``"loss"``: 1 if the loss is bad, else 0.
    - ``"backward"``: bad entries in the gradients of the parameters.

    The cause is the first whose number is not 0: what comes after it may be its victims. The
    suspects before it are rejected, and their 0 is the reason.

    The step is ``loss_fn(model(x), y).backward()``, each module in the mode that it is in.
    Afterwards modes, gradients, buffers and the RNG are what they were, and no hook is left, also
    when the step raises; that error is passed on.

    Args:
        model: An `nn.Module` that takes one tensor and whose leaf modules give out tensors.
        batch: ``(x, y)``, both tensors.
        loss_fn: Function of the model's output and ``y`` that returns a tensor of one entry.

    Returns:
        ``{"cause": name or None, "place": text, "rejected": names in order, "numbers": {...}}``.
        The place is ``"x"`` for the input, the name of the first bad parameter or buffer
        (parameters first) for the weights, the name of the first bad leaf module for the forward,
        ``"loss"`` for the loss, the name of the node that `first_bad_backward` finds for the
        backward, and ``""`` if there is no cause; then all five suspects are rejected.
    """
    raise NotImplementedError("8.5.q")
