"""Unit 8.5, PyTorch stage: find the first bad value of a step, name its cause, and guard.

A value is *bad* if it is NaN, +inf or -inf; a *kind* is the text ``"nan"``, ``"+inf"`` or
``"-inf"``. An index is a tuple with one integer for each dimension, ``()`` for a tensor without
dimensions; the first entry is the one with the smallest index in row-major order, however the
tensor lies in memory. Integer and boolean tensors are never bad, nor is an empty one.

A function that looks puts back what it changed: hooks are taken off, also when the model raises;
anomaly detection, gradient mode and torch's global RNG are as before. Everything runs on a CPU.
"""

import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain

import torch


def _bad(t):
    t = t.detach()
    if not (t.is_floating_point() or t.is_complex()):
        return torch.zeros_like(t, dtype=torch.bool)
    return ~torch.isfinite(t if t.element_size() > 1 else t.float())


def _first(t, minus_inf_is_fine=False):
    bad = _bad(t)
    if minus_inf_is_fine and t.is_floating_point():
        bad &= ~torch.isneginf(t)
    where = bad.nonzero()
    if not len(where):
        return None
    index = tuple(where[0].tolist())
    value = t.detach()[index].item()
    return index, "nan" if value != value else "+inf" if value > 0 else "-inf"


def _tensors(tree):
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, (list, tuple, Mapping)):
        for part in tree.values() if isinstance(tree, Mapping) else tree:
            yield from _tensors(part)


def _leaves(model):
    return [(n, m) for n, m in model.named_modules() if not list(m.children())]


@contextmanager
def _as_found(model):
    held = [(m, m.training, dict(m._buffers)) for m in model.modules()]
    copies = [(b, b.detach().clone()) for b in model.buffers()]
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        with torch.no_grad():
            for buffer, copy in copies:
                buffer.copy_(copy)
        for m, training, buffers in held:
            m.training = training
            m._buffers.clear()
            m._buffers.update(buffers)


def first_bad_forward(model, batch, allow=()):
    """Run a model once and return the first bad value that one of its leaf modules gave out.

    Leaf modules are those without children; their names are those of ``model.named_modules()``,
    and a model without children is its own leaf, named ``""``. First means first in the order in
    which the modules run, not in which they are listed. A look that reports a container, or that
    keeps the last find, names a victim.

    The model runs without gradients, in the mode it is in. Afterwards its buffers (the running
    statistics of a BatchNorm) hold what they held, the RNG is where it was, and no hook is left but
    those that others had put on, also when the model or such a hook raises; the error is passed on,
    unless a bad value came before it.

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
          in order, and into one another; what is no tensor does not count. 0 for a single tensor.
        - ``"index"``, ``"kind"``: of the first bad entry of that tensor.
        - ``"born"``: True if all floating-point tensors that went into the call were finite (those
          in lists, tuples and dicts, too); False if one was not, so that the module may be a victim
          of code between the modules, which no hook sees.
    """
    found, calls, given = [], Counter(), defaultdict(list)

    def before(name):
        def hook(_, args, kwargs):
            given[name].append((calls[name], not any(_bad(t).any() for t in _tensors((args, kwargs)))))
            calls[name] += 1

        return hook

    def after(name):
        def hook(_, args, kwargs, output):
            call, born = given[name].pop()
            for number, t in enumerate(() if found else _tensors(output)):
                first = _first(t, name in allow)
                if first:
                    found.append(
                        dict(module=name, call=call, output=number, index=first[0], kind=first[1], born=born)
                    )
                    return

        return hook

    with _as_found(model), torch.no_grad(), ExitStack() as stack:
        for name, m in _leaves(model):
            for handle in (
                m.register_forward_pre_hook(before(name), with_kwargs=True),
                m.register_forward_hook(after(name), with_kwargs=True, prepend=True),
            ):
                stack.callback(handle.remove)
        try:
            if isinstance(batch, Mapping):
                model(**batch)
            else:
                model(*(batch if isinstance(batch, (tuple, list)) else (batch,)))
        except Exception:
            if not found:
                raise
    return found[0] if found else None


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

        The gradients are left in ``.grad``, the same bits as without the hooks.

    Raises:
        ValueError: If `loss` has no graph.
    """
    if loss.grad_fn is None:
        raise ValueError("the loss has no graph")
    found, ran = [], Counter()

    def watch(name):
        def hook(gave, came):
            for side, grads in (("in", came), ("out", gave)):
                for g in () if found else grads:
                    first = None if g is None else _first(g)
                    if first:
                        found.append({"node": name, "nth": ran[name], "side": side, "kind": first[1]})
                        break
            ran[name] += 1

        return hook

    nodes, todo = {loss.grad_fn}, [loss.grad_fn]
    while todo:
        new = {n for n, _ in todo.pop().next_functions if n is not None} - nodes
        nodes |= new
        todo += new
    with ExitStack() as stack:
        for node in nodes:
            stack.callback(node.register_hook(watch(node.name())).remove)
        loss.backward()
    return found[0] if found else None


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
    with torch.random.fork_rng(devices=[]), torch.autograd.set_detect_anomaly(True, check_nan=True):
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        loss = fn()
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=r"[\s\S]*Error detected in")
                loss.backward()
        except RuntimeError as error:
            match = re.match(r"Function '([^']+)' returned nan values", str(error))
            if match is None:
                raise
            return match[1]
    return None


def nonfinite_counts(tensors):
    """Count the bad entries of many tensors, and wait for the device once.

    ``.item()``, ``bool(...)``, ``.tolist()`` and the like wait until a device has computed the
    value. One for each parameter makes the guard dearer than the step. Count on the device, put the
    counts together there, and bring them over at once.

    Args:
        tensors: Dict of named tensors, for example gradients; any shapes and dtypes, on one
            device. None stands for a gradient that is not there.

    Returns:
        ``{name: count}`` in the order of `tensors`, integers; None where there was None, since not
        measured is not zero. Whatever the number of tensors, exactly one host sync (none is needed
        if there is no tensor).
    """
    counts = [_bad(t).sum() for t in tensors.values() if t is not None]
    host = iter(torch.stack(counts).tolist() if counts else ())
    return {name: None if t is None else next(host) for name, t in tensors.items()}


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
        optimizer: Of its parameters.
        loss: A tensor of one entry with a graph.
        max_norm: Positive.

    Returns:
        ``{"stepped": bool, "loss": float, "norm": float, "bad": {name: count}}``: the global norm
        before clipping within a relative error of 1e-4 (NaN or inf where a gradient is bad), and
        for each parameter with bad entries in its gradient how many; ``{}`` if there are none.

    Raises:
        ValueError: If `max_norm` is not positive; nothing has happened then.
    """
    if not max_norm > 0:
        raise ValueError("max_norm must be positive")
    for p in model.parameters():
        p.grad = None
    loss.backward()
    grads = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    zero = torch.zeros(1, dtype=torch.float64, device=loss.device)
    flat = torch.cat([zero] + [g.double().flatten() for g in grads.values()])
    top = flat.abs().max().clamp(min=torch.finfo(torch.float64).tiny)
    norm = (flat / top).square().sum().sqrt() * top
    counts = [_bad(g).sum() for g in grads.values()]
    value, norm, *counts = torch.stack(
        [t.detach().double().reshape(()) for t in (loss, norm, *counts)]
    ).tolist()
    bad = {name: int(count) for name, count in zip(grads, counts, strict=True) if count}
    stepped = math.isfinite(value) and not bad
    if stepped:
        if norm > max_norm:
            for g in grads.values():
                g.copy_(g.double() * (max_norm / norm))
        optimizer.step()
    for p in model.parameters():
        p.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}


def where_safe(function, x, keep, safe, other):
    """Return ``function(x)`` where `keep` and `other` elsewhere, with a gradient that is finite.

    ``torch.where(keep, function(x), other)`` looks right, forward. In the backward the branch that
    was not chosen gets gradient 0, and 0 times an infinite or NaN derivative is NaN: the gradient
    is spoiled at an entry whose value is correct. Give the function a harmless input there: a
    `where` before it and one after it.

    Args:
        function: Works on each entry by itself, such as `torch.sqrt`; it may be undefined where
            `keep` is False and must not see those entries.
        x: Floating-point tensor.
        keep: Boolean tensor that broadcasts to the shape of `x`.
        safe: A number at which `function` and its derivative are finite.
        other: A number, or a tensor that broadcasts to the shape of `x` and may have a gradient of
            its own (``other=x``, say), which it gets where `keep` is False and nowhere else.

    Returns:
        Tensor of the shape and dtype of `x`.
    """
    y = function(x.masked_fill(~keep, safe)).to(x.dtype)
    other = torch.as_tensor(other, device=x.device).to(x.dtype).expand(x.shape)
    return torch.where(keep, y, other)


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
    floor = x.new_full((*x.shape[:-1], 1), eps)
    size = torch.cat((x.detach().abs(), floor), -1).amax(-1, keepdim=True)
    size = size.clamp(min=torch.finfo(x.dtype).tiny)
    z = x / size
    square = z.square().sum(-1, keepdim=True)
    least = (eps / size).square().clamp(min=torch.finfo(x.dtype).tiny)
    return z / torch.maximum(square, least).sqrt()


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
    if not len(keeps) or any(k.dtype != torch.bool for k in keeps):
        raise ValueError("a list of boolean masks is needed")
    hidden = ~torch.stack(torch.broadcast_tensors(*keeps)).all(0)
    return torch.zeros_like(hidden, dtype=dtype).masked_fill(hidden, torch.finfo(dtype).min / 2)


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
    for i, x in enumerate(inputs):
        leaf = x.detach().clone().requires_grad_()
        with torch.enable_grad():
            y = function(leaf)
        first, word = _first(y), "value"
        if first is None and y.requires_grad:
            (g,) = torch.autograd.grad(y, leaf, torch.ones_like(y), allow_unused=True)
            first, word = None if g is None else _first(g), "gradient"
        if first is not None:
            raise AssertionError(f"input {i}: the {word} is {first[1]} at {first[0]}")


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

    The step is ``loss_fn(model(x), y).backward()`` in the mode that the model is in. Afterwards
    mode, gradients, buffers and the RNG are what they were, and no hook is left.

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
    x, y = (t.detach().requires_grad_(t.requires_grad) for t in batch)
    state = dict(chain(model.named_parameters(), model.named_buffers()))
    weights = {n: k for n, k in nonfinite_counts(state).items() if k}
    numbers = {"input": int(_bad(x).sum()), "weights": sum(weights.values())}
    outputs, grads = [], {p: p.grad for p in model.parameters()}
    with _as_found(model), torch.enable_grad(), ExitStack() as stack:
        stack.callback(lambda: [setattr(p, "grad", g) for p, g in grads.items()])
        for p in grads:
            p.grad = None
        for name, m in _leaves(model):
            hook = m.register_forward_hook(
                lambda m, a, out, name=name: outputs.append((name, _bad(out).sum())), prepend=True
            )
            stack.callback(hook.remove)
        loss = loss_fn(model(x), y)
        numbers["forward"] = sum(int(k) for _, k in outputs)
        numbers["loss"] = int(_bad(loss).any())
        node = first_bad_backward(loss)
        numbers["backward"] = sum(int(_bad(p.grad).sum()) for p in grads if p.grad is not None)
    cause = next((s for s, k in numbers.items() if k), None)
    places = {
        None: lambda: "",
        "input": lambda: "x",
        "weights": lambda: next(iter(weights)),
        "forward": lambda: next(n for n, k in outputs if k),
        "loss": lambda: "loss",
        "backward": lambda: node["node"],
    }
    order = list(numbers)
    return {
        "cause": cause,
        "place": places[cause](),
        "rejected": order[: order.index(cause)] if cause else order,
        "numbers": numbers,
    }
