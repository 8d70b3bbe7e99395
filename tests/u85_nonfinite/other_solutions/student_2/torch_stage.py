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
from collections.abc import Mapping

import torch


def _count(tensor):
    """Return how many bad entries a tensor has, as a tensor on its device."""
    tensor = tensor.detach()
    if tensor.is_floating_point() and tensor.element_size() == 1:
        tensor = tensor.float()  # the 8-bit formats have few operators
    return torch.isfinite(tensor).logical_not().sum()


def _largest(tensor):
    """Return the largest absolute value of a tensor in float64, 0 for an empty one."""
    if tensor.numel() == 0:
        return torch.zeros((), dtype=torch.float64, device=tensor.device)
    return tensor.double().abs().max()


def _first_bad(tensor, masked=False):
    """Return (index, kind) of the first bad entry, or None."""
    if not tensor.is_floating_point() or not int(_count(tensor)):
        return None
    tensor = tensor.detach()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    position = 0
    for value in tensor.double().reshape(-1).tolist():
        if not math.isfinite(value) and not (masked and value == -math.inf):
            break
        position += 1
    else:
        return None
    index = []
    for size in reversed(tensor.shape):
        index.insert(0, position % size)
        position //= size
    kind = "nan" if math.isnan(value) else "+inf" if value > 0 else "-inf"
    return tuple(index), kind


def _tensors(thing):
    """Give the tensors in lists, tuples and dicts, in order."""
    if isinstance(thing, torch.Tensor):
        yield thing
    elif isinstance(thing, Mapping):
        for value in thing.values():
            yield from _tensors(value)
    elif isinstance(thing, (list, tuple)):
        for value in thing:
            yield from _tensors(value)


def _leaves(model):
    return [(n, m) for n, m in model.named_modules() if not list(m.children())]


def _graph(root):
    """Return every node that can be reached, each once."""
    seen = {root}
    order = [root]
    for node in order:
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                order.append(following)
    return order


class _Unmoved:
    """Context after which buffers and random generators are what they were."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.fork = torch.random.fork_rng()
        self.fork.__enter__()
        self.tables = [(m, dict(m._buffers)) for m in self.model.modules() if m._buffers]
        self.copies = []
        for _, table in self.tables:
            for buffer in table.values():
                if buffer is not None:
                    self.copies.append((buffer, buffer.detach().clone()))

    def __exit__(self, *error):
        with torch.no_grad():
            for module, table in self.tables:
                module._buffers.clear()
                module._buffers.update(table)
            for buffer, copy in self.copies:
                buffer.detach().copy_(copy)
        self.fork.__exit__(*error)


class _Watch:
    """Looks at the leaf modules of a model while it runs, and keeps the first find."""

    def __init__(self, model, allow):
        self.leaves = _leaves(model)
        self.allow = allow
        self.found = None
        self.calls = {}
        self.open = []  # calls that have begun: name, number, whether all inputs are finite
        self.handles = []

    def put_on(self):
        for name, module in self.leaves:
            self.handles.append(
                module.register_forward_pre_hook(self._begins(name), with_kwargs=True)
            )
            self.handles.append(module.register_forward_hook(self._ends(name)))

    def take_off(self):
        for handle in self.handles:
            handle.remove()

    def _begins(self, name):
        def hook(module, args, kwargs):
            number = self.calls.get(name, 0)
            self.calls[name] = number + 1
            fine = all(_first_bad(t) is None for t in _tensors([args, kwargs]))
            self.open.append((name, number, fine))

        return hook

    def _ends(self, name):
        def hook(module, args, output):
            while True:
                opened, number, fine = self.open.pop()
                if opened == name:
                    break
            if self.found is not None:
                return
            for position, tensor in enumerate(_tensors(output)):
                bad = _first_bad(tensor, name in self.allow)
                if bad is not None:
                    self.found = {
                        "module": name,
                        "call": number,
                        "output": position,
                        "index": bad[0],
                        "kind": bad[1],
                        "born": fine,
                    }
                    return

        return hook


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
    watch = _Watch(model, allow)
    with _Unmoved(model), torch.no_grad():
        try:
            watch.put_on()
            if isinstance(batch, Mapping):
                model(**batch)
            elif isinstance(batch, tuple):
                model(*batch)
            else:
                model(batch)
        except Exception:
            if watch.found is None:
                raise
        finally:
            watch.take_off()
    return watch.found


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
    ran = {}
    found = []
    handles = []

    def look(node):
        def hook(given_out, came_in):
            name = node.name()
            nth = ran.get(name, 0)
            ran[name] = nth + 1
            if found:
                return
            for side, gradients in (("in", came_in), ("out", given_out)):
                for gradient in gradients:
                    bad = None if gradient is None else _first_bad(gradient)
                    if bad is not None:
                        found.append({"node": name, "nth": nth, "side": side, "kind": bad[1]})
                        return

        return hook

    nodes = _graph(loss.grad_fn)
    try:
        for node in nodes:
            handles.append(node.register_hook(look(node)))
        loss.backward()
    finally:
        for handle in handles:
            handle.remove()
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
    before = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Error detected in")
        if rng_state is not None:
            torch.set_rng_state(rng_state)
        torch.set_anomaly_enabled(True, check_nan=True)
        try:
            with torch.enable_grad():
                loss = fn()
            try:
                loss.backward()
            except RuntimeError as error:
                words = re.match(r"Function '(.+)' returned nan values in its", str(error))
                if words is None:
                    raise
                return words.group(1)
        finally:
            torch.set_anomaly_enabled(*before)
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
    there = [name for name, tensor in tensors.items() if tensor is not None]
    answer = dict.fromkeys(tensors)
    if there:
        counts = torch.stack([_count(tensors[name]) for name in there])
        for name, count in zip(there, counts.tolist(), strict=True):
            answer[name] = count
    return answer


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
        raise ValueError(f"max_norm is {max_norm}")
    for p in model.parameters():
        p.grad = None
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    names = [name for name, p in model.named_parameters() if p.grad is not None]
    gradients = [p.grad for _, p in model.named_parameters() if p.grad is not None]
    with torch.no_grad():
        # Everything that the decision needs, in one tensor that is fetched once.
        row = [loss.detach().reshape(()).double()]
        row.extend(_largest(g) for g in gradients)
        top = torch.stack(row[1:]).max() if gradients else torch.ones_like(row[0])
        top = torch.where(top > 0, top, torch.ones_like(top))
        row = [row[0], top]
        row.extend((g.double() / top).square().sum() for g in gradients)
        row.extend(_count(g).double() for g in gradients)
        fetched = torch.stack(row).tolist()
    value, scale = fetched[:2]
    squares = fetched[2 : 2 + len(names)]
    counts = fetched[2 + len(names) :]
    length = math.sqrt(sum(squares))
    bad = {name: int(count) for name, count in zip(names, counts, strict=True) if count}
    step = math.isfinite(value) and not bad
    if step:
        if scale * length > max_norm:
            factor = max_norm / scale / length
            for g in gradients:
                g.copy_(g.double() * factor)
        optimizer.step()
    for p in model.parameters():
        p.grad = None
    optimizer.zero_grad(set_to_none=True)
    return {"stepped": step, "loss": value, "norm": scale * length, "bad": bad}


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
    keep = keep.expand(x.shape)
    if isinstance(other, torch.Tensor):
        base = other.to(x.dtype).expand(x.shape)
    else:
        base = torch.full_like(x, other)
    return base.masked_scatter(keep, function(x[keep]))


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
    if x.shape[-1] == 0:
        return x.clone()
    one = torch.ones((), dtype=x.dtype, device=x.device)
    floor = torch.full_like(one, max(eps, torch.finfo(x.dtype).tiny))
    with torch.no_grad():
        scale = x.abs().amax(dim=-1, keepdim=True)
        scale = torch.where((scale == 0) | scale.isinf(), one, scale)
        norm = (x / scale).square().sum(dim=-1, keepdim=True).sqrt() * scale
        short = norm < floor
    # A row that is short never meets the root, and a long one never meets eps.
    y = torch.where(short, one, x) / torch.where(short, one, scale)
    y = y / y.square().sum(dim=-1, keepdim=True).sqrt()
    return torch.where(short, torch.where(short, x, one) / floor, y)


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
    keeps = list(keeps)
    if not keeps:
        raise ValueError("no mask")
    for keep in keeps:
        if keep.dtype != torch.bool:
            raise ValueError(f"a mask of {keep.dtype} was filled already")
    seen = keeps[0]
    for keep in keeps[1:]:
        seen = seen & keep
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill(~seen, torch.finfo(dtype).min / 2)


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
    for number, example in enumerate(inputs):
        leaf = example.detach().clone().requires_grad_(True)
        with torch.enable_grad():
            result = function(leaf)
        bad = _first_bad(result)
        if bad is not None:
            raise AssertionError(f"input {number}: the value is {bad[1]} at {bad[0]}")
        if not result.requires_grad:
            continue
        (gradient,) = torch.autograd.grad(
            result, leaf, torch.ones_like(result), allow_unused=True
        )
        bad = None if gradient is None else _first_bad(gradient)
        if bad is not None:
            raise AssertionError(f"input {number}: the gradient is {bad[1]} at {bad[0]}")


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
    x, y = batch
    weights = [*model.named_parameters(), *model.named_buffers()]
    places = dict.fromkeys(("input", "weights", "forward", "loss", "backward"), "")
    numbers = dict.fromkeys(places, 0)

    def add(suspect, count, place):
        if count and not numbers[suspect]:
            places[suspect] = place
        numbers[suspect] += count

    def counter(name):
        def hook(module, given, output):
            add("forward", int(_count(output)), name)

        return hook

    handles = []
    kept = [(t, t.grad) for t in (*model.parameters(), x, y) if t.is_leaf]
    with _Unmoved(model), torch.enable_grad():
        try:
            for t, _ in kept:
                t.grad = None
            add("input", int(_count(x)), "x")
            for name, tensor in weights:
                add("weights", int(_count(tensor)), name)
            for name, module in _leaves(model):
                handles.append(module.register_forward_hook(counter(name)))
            loss = loss_fn(model(x), y)
            add("loss", int(_count(loss) > 0), "loss")
            find = first_bad_backward(loss)
            for p in model.parameters():
                if p.grad is not None:
                    add("backward", int(_count(p.grad)), find["node"] if find else "")
        finally:
            for handle in handles:
                handle.remove()
            for t, gradient in kept:
                t.grad = gradient
    rejected = []
    for suspect, number in numbers.items():
        if number:
            return {
                "cause": suspect,
                "place": places[suspect],
                "rejected": rejected,
                "numbers": numbers,
            }
        rejected.append(suspect)
    return {"cause": None, "place": "", "rejected": rejected, "numbers": numbers}
