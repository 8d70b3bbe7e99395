"""Unit 8.8, PyTorch stage: find breaks and recompilations, repair them, compare, report the cost.

Everything runs on a CPU with the backends ``eager`` and ``aot_eager``, which need no compiler: they
capture, guard, recompile and fall back like any other, and run PyTorch's own operators afterwards.
A *backend* is one of these names, or a function ``backend(graph_module, example_inputs)`` that
returns what to call instead; it is called once for each graph that is compiled.

torch keeps what it has compiled for the code of a function, whoever compiled it. A function that
counts something therefore begins with ``torch._dynamo.reset()``. Settings of the process that a
function changes (gradients, torch's configuration, the random state) it puts back.
"""

import copy
import math
import time

import torch
import torch._dynamo
from torch import nn


_STRICT = {
    "capture_scalar_outputs": False,
    "capture_dynamic_output_shape_ops": False,
    "suppress_errors": False,
}
"""What torch has by default: a value that is read is a break, and an error is an error."""


class _Counting:
    """A backend that keeps the graphs and counts how often they run."""

    def __init__(self):
        self.graphs, self.runs = [], 0

    def __call__(self, graph_module, example_inputs):
        self.graphs.append(graph_module.graph)

        def run(*inputs):
            self.runs += 1
            return graph_module.forward(*inputs)

        return run


def find_break(fn, *args):
    """Say whether compiling a function breaks its graph, and why.

    Every kind of break counts, wherever it is: a value that is read (``.item()``, ``float(t)``,
    ``tolist()``), a size that depends on the data (``nonzero``, a mask as an index), ``if t:``, a
    call that cannot be captured (``print``, a clock, a function under ``torch.compiler.disable``),
    an explicit ``graph_break()``. A break before the first or after the last operation is one, too,
    although it leaves one graph or none. A branch on a shape, ``len(t)`` or ``t.numpy()`` on a CPU
    is no break. What `fn` does besides (printing, say) may happen more than once.

    Args:
        fn: The function; it may be a module.
        args: Its arguments.

    Returns:
        A dict with

        - ``"broken"``: whether there is a break (bool).
        - ``"reason"``: torch's first line about the first break (text), ``""`` if there is none.
        - ``"graphs"``: how many graphs are compiled when `fn` is called once with breaks allowed;
          0 if there is nothing to compile.
        - ``"operators"``: how many nodes these graphs have that call something (those whose ``op``
          begins with ``call``).

    Raises:
        Exception: What `fn` itself raises goes on; it is no break.
    """
    with torch.random.fork_rng(), torch._dynamo.config.patch(**_STRICT):
        fn(*args)  # what fn itself raises goes on from here
        torch._dynamo.reset()
        backend = _Counting()
        torch.compile(fn, backend=backend)(*args)
        torch._dynamo.reset()
        reason = None
        # fn is called from a frame that is captured for sure, so that not even fn can be skipped.
        strict = torch.compile(lambda *inputs: fn(*inputs), backend="eager")
        with torch._dynamo.error_on_graph_break(True):
            try:
                strict(*args)
            except torch._dynamo.exc.TorchDynamoException as error:
                reason = str(error).strip().partition("\n")[0]
        torch._dynamo.reset()
    return {
        "broken": reason is not None,
        "reason": reason or "",
        "graphs": len(backend.graphs),
        "operators": sum(
            node.op.startswith("call") for graph in backend.graphs for node in graph.nodes
        ),
    }


def compile_counts(fn, calls, dynamic=None):
    """Compile a function once and count, call by call, what is compiled and what runs.

    Args:
        fn: The function; it may be a module.
        calls: The arguments of each call, a tuple or list each.
        dynamic: Handed to ``torch.compile``.

    Returns:
        A dict with two lists of ints, one entry a call:

        - ``"compiled"``: how many graphs were compiled during the call.
        - ``"ran"``: how often a compiled graph ran during the call. 0 is a call that ran eagerly
          as a whole, as it does once there are too many versions.
    """
    torch._dynamo.reset()
    backend = _Counting()
    compiled = torch.compile(fn, backend=backend, dynamic=dynamic)
    seen = [(0, 0)]
    with torch.random.fork_rng():
        for args in calls:
            compiled(*args)
            seen.append((len(backend.graphs), backend.runs))
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(seen, seen[1:], strict=False)]
    return {"compiled": [step[0] for step in steps], "ran": [step[1] for step in steps]}


def faulty_scaled(x):
    """Scale a tensor so that its largest entry is at most 1: reads a value in the middle."""
    peak = x.abs().max().item()
    return x / max(peak, 1.0)


def scaled(x):
    """Do what `faulty_scaled` does in one graph, without reading a value.

    Outputs equal those of `faulty_scaled` (to four roundings of the dtype), NaN and infinities
    included, and so do the gradients of finite tensors: note what ``.item()`` does to the gradient
    of the peak. float32, float64, float16 and bfloat16, any layout, at least one entry; the dtype
    stays. One graph serves changing sizes.

    Args:
        x: Tensor ``[...]`` of floats.

    Returns:
        Tensor like `x`, a new one.
    """
    peak = x.detach().abs().amax()  # .item() has no gradient, so neither has this one
    return x / peak.clamp(min=1)


def faulty_unit_ball(x):
    """Pull a vector back to length 1 if it is longer: branches on a value."""
    length = x.norm()
    if length > 1:
        return x / length
    return x * 1


def unit_ball(x):
    """Do what `faulty_unit_ball` does in one graph, without a branch on a value.

    Outputs equal those of `faulty_unit_ball` (to 1e-6 of the largest) on both sides of the branch,
    for zeros, and where an entry is NaN (a comparison with NaN is False) or infinite. Gradients are
    equal for every finite tensor whose length is not 1 exactly, for zeros as well: a branch that is
    not taken has no gradient, not even NaN. float32 and float64, any layout and size, also without
    entries; the dtype stays. One graph serves changing sizes.

    Args:
        x: Tensor ``[...]`` of floats.

    Returns:
        Tensor like `x`, a new one.
    """
    is_long = x.detach().norm() > 1
    # The length is only ever taken of a vector that has one: ones where x stays as it is.
    operand = torch.where(is_long, x, torch.ones_like(x))
    return torch.where(is_long, x / operand.norm(), x * 1)


class FaultyWarmup(nn.Module):
    """Scales its input by ``calls / steps`` (1 at most), counting calls in a Python integer."""

    def __init__(self, steps):
        """Start with no call made."""
        super().__init__()
        self.steps, self.calls = steps, 0
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x):
        """Return the scaled input; calls count only in training mode, this one included."""
        if self.training:
            self.calls += 1
        return x * self.gain * min(1.0, self.calls / self.steps)


class _Warmup(nn.Module):
    """`FaultyWarmup` with its numbers in buffers, which are data and no guards."""

    def __init__(self, steps):
        super().__init__()
        self.register_buffer("steps", torch.tensor(steps), persistent=False)
        self.register_buffer("calls", torch.tensor(0), persistent=False)
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x):
        if self.training:
            self.calls = self.calls + 1  # a new tensor: the backward still reads the old one
        share = self.calls.to(x.dtype) / self.steps.to(x.dtype)
        return x * self.gain * share.clamp(max=1)


def make_warmup(steps):
    """Return a module that does what ``FaultyWarmup(steps)`` does, compiled once for all calls.

    Same outputs and gradients (to 1e-6, relative) at every call and in the dtype of the input, in
    training and evaluation mode (one compilation each): eager, and compiled with ``eager`` or
    ``aot_eager``. Hold the gradients of the last one against `compare`; a tensor that is changed in
    place although the backward reads it is not safe there. ``module.calls`` is the count so far, a
    tensor or number that ``int()`` takes, 0 at first; modules count on their own. Checkpoints stay
    as they are: ``state_dict()`` has the keys that ``FaultyWarmup`` has, and each side loads the
    other's. A copy by `copy.deepcopy` goes on counting by itself.

    Args:
        steps: Number of calls until the scale is 1 (int, at least 1).

    Returns:
        The `torch.nn.Module`, in training mode, for float32 and float64 inputs of any shape. It has
        the one parameter ``gain``.
    """
    return _Warmup(steps)


def _forward_backward(call, parameters, batch):
    """Return the output, and the gradients of the parameters and of a batch of floats."""
    leaf = batch.detach().clone()
    if leaf.is_floating_point():
        leaf.requires_grad_()
    output = call(leaf.clone())  # the clone may be changed in place
    kept = output.detach().clone()
    if output.requires_grad:
        # cos(1), cos(2), ... are all different, and no layer is blind to them.
        weights = torch.arange(1, output.numel() + 1, dtype=torch.float64, device=output.device)
        (output.double() * weights.cos().reshape(output.shape)).sum().backward()
    return kept, [leaf.grad, *(parameter.grad for parameter in parameters)]


def _agree(mine, other, rtol):
    """Tell whether two tensors, or None, agree; `mine` gives the scale."""
    if mine is None or other is None:
        return mine is other
    if mine.shape != other.shape:
        return False
    wide = torch.complex128 if mine.is_complex() or other.is_complex() else torch.float64
    mine, other = mine.detach().to(wide), other.detach().to(wide)
    finite = mine.abs()[mine.isfinite()]
    bound = rtol * finite.max().item() if finite.numel() else 0.0
    return bool(((mine == other) | ((mine - other).abs() <= bound)).all())


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    """Compare a model with its compiled self: outputs and gradients, training and evaluation.

    For each mode, training and then evaluation, the model runs forward and backward on `batch` once
    uncompiled and once compiled with `backend`, both from the same weights and buffers and each
    after ``torch.manual_seed(seed)``, so that dropout draws the same numbers. The loss is a
    weighted sum of all entries of the output, with weights of which no two are equal, the same ones
    for both. (In a plain sum, outputs may cancel, or be a softmax, whose sum is 1.)

    Two tensors agree if their shapes are equal and no entry differs by more than `rtol` times the
    largest absolute value of the uncompiled one. NaN agrees with nothing. Tensors without entries
    agree if their shapes do. Gradients agree if those of every parameter do and, where the batch is
    of floats, that of the batch; one that is None on one side alone disagrees.

    Model and batch are left as they were: weights, buffers, gradients, mode, ``requires_grad``. So
    is torch's random state.

    Args:
        model: A module of one tensor that returns one tensor. Some parameters may be frozen or
            shared; BatchNorm and dropout are allowed.
        batch: Tensor ``[B, ...]``, any layout.
        backend: For `torch.compile`.
        rtol: Declared tolerance. Bits are not promised: compiled code may add in another order.
        seed: For torch's random state.

    Returns:
        A dict with ``"agree"`` (bool: nothing failed) and ``"failed"``: which of ``"train
        outputs"``, ``"train gradients"``, ``"eval outputs"``, ``"eval gradients"`` disagree, in
        this order.
    """
    if isinstance(model, torch._dynamo.OptimizedModule):
        model = model._orig_mod
    torch._dynamo.reset()
    failed = []
    with torch.random.fork_rng(), torch.inference_mode(False), torch.enable_grad():
        for mode in ("train", "eval"):
            runs = []
            for compiled in (False, True):
                twin = copy.deepcopy(model).train(mode == "train")
                twin.zero_grad(set_to_none=True)
                call = torch.compile(twin, backend=backend) if compiled else twin
                torch.manual_seed(seed)
                runs.append(_forward_backward(call, list(twin.parameters()), batch))
            (output, gradients), (other_output, other_gradients) = runs
            if not _agree(output, other_output, rtol):
                failed.append(f"{mode} outputs")
            pairs = zip(gradients, other_gradients, strict=True)
            if not all(_agree(mine, other, rtol) for mine, other in pairs):
                failed.append(f"{mode} gradients")
    return {"agree": not failed, "failed": failed}


def _quantile(ordered, share):
    """Return a quantile of sorted numbers by linear interpolation."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def steady_state(fn, warmup=3, repeats=20, clock=time.perf_counter):
    """Time a compiled function apart from its compilation.

    Calls ``fn()`` `warmup` times and then `repeats` times, no more, and reads the clock right
    before and right after each call. The first call compiles; the second may compile again, for a
    size that changed. None of the warm-up calls is in the steady times, and none of them is hidden.

    Args:
        fn: Function without arguments, compiled but not yet called.
        warmup: Calls that are timed apart.
        repeats: Calls that count.
        clock: Returns the time [s].

    Returns:
        A dict with ``"first"`` (time of the first call [s]), ``"p50"`` and ``"p90"`` of the calls
        that count [s] (linear interpolation, as `np.percentile` and `torch.quantile` do),
        ``"cost"``: the time of the warm-up calls together less `warmup` times ``p50`` [s], which is
        what compiling has cost, and ``"repeats"``.

    Raises:
        ValueError: If `warmup` or `repeats` is below 1. (Without warm-up the compilation counts.)
    """
    if warmup < 1 or repeats < 1:
        raise ValueError(f"warmup is {warmup} and repeats {repeats}, both must be 1 or more")
    times = []
    for _ in range(warmup + repeats):
        begin = clock()
        fn()
        times.append(clock() - begin)
    warm, steady = times[:warmup], sorted(times[warmup:])
    p50 = _quantile(steady, 0.5)
    return {
        "first": warm[0],
        "p50": p50,
        "p90": _quantile(steady, 0.9),
        "cost": math.fsum(warm) - warmup * p50,
        "repeats": repeats,
    }


def _plain_name(name):
    """Take the parts `_orig_mod` out of a name."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def portable_state(model):
    """Return the state of a model with the names of the uncompiled one.

    ``torch.compile(model)`` is a module around the model, whose ``state_dict()`` names carry the
    part ``_orig_mod``; so do those of a model with compiled parts, in the middle. A checkpoint with
    such names does not load into the plain model. Only a whole part of a name that is ``_orig_mod``
    goes: ``my_orig_mod.weight`` keeps its name.

    Args:
        model: A module, compiled as a whole, in parts, or not at all. It is left as it is.

    Returns:
        A dict that ``load_state_dict`` (strict) of the uncompiled model takes: all parameters and
        persistent buffers, in order, with the values of `model.state_dict()`.
    """
    state = model.state_dict()
    plain = type(state)((_plain_name(name), value) for name, value in state.items())
    versions = getattr(state, "_metadata", None)
    if versions is not None:  # load_state_dict reads it
        plain._metadata = type(versions)(
            (_plain_name(name), value) for name, value in versions.items()
        )
    return plain


def closed_book_repair():
    """Break a graph on purpose, repair it, and say what changed, with numbers.

    Everything is up to you but this: ``broken`` is a function of one tensor whose graph breaks in
    the middle, so that torch.compile makes two graphs of it or more; ``repaired`` computes the same
    in one graph without any break. On float32 tensors shaped like ``x``, of either sign, both give
    the same output and the same gradient (to 1e-5 of the largest), and the gradient is not zero
    everywhere. Inspect both with torch, not by reading.

    Returns:
        A dict with

        - ``"broken"``, ``"repaired"``: the two functions. They only compute: no file, no setting.
        - ``"x"``: an example, a float32 tensor of at least two entries.
        - ``"graphs"``: ``[n, 1]``, how many graphs each has, as you counted them.
        - ``"reason"``: torch's first line about the break (text).
        - ``"outputs_equal"``, ``"gradients_equal"``: what your comparison on ``x`` said (bool).
        - ``"sentence"``: one sentence of five words or more that says what broke the graph, what
          repaired it, and both numbers of graphs, in digits.
    """
    def broken(x):
        size = x.square().mean().item()
        return torch.tanh(x) / (1 + size)

    def repaired(x):
        size = x.detach().square().mean()
        return torch.tanh(x) / (1 + size)

    x = torch.tensor([[-2.0, 0.5, 1.5], [3.0, -0.25, 1.0]])
    before, after = find_break(broken, x), find_break(repaired, x)
    outputs, gradients = [], []
    for fn in (broken, repaired):
        leaf = x.clone().requires_grad_()
        output = fn(leaf)
        outputs.append(output.detach())
        gradients += torch.autograd.grad(output.square().sum(), leaf)
    return {
        "broken": broken,
        "repaired": repaired,
        "x": x,
        "graphs": [before["graphs"], after["graphs"]],
        "reason": before["reason"],
        "outputs_equal": _agree(*outputs, 1e-5),
        "gradients_equal": _agree(*gradients, 1e-5),
        "sentence": (
            f"Reading the mean square with .item() broke the function into {before['graphs']} "
            f"graphs, and keeping it as a detached tensor repaired it to {after['graphs']} graph."
        ),
    }
