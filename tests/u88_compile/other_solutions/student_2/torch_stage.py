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
from collections import OrderedDict

import torch
import torch._dynamo
from torch._dynamo.exc import Unsupported
from torch import nn


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
    with _Settings():
        fn(*args)  # what it raises uncompiled is its own matter
        torch._dynamo.reset()
        tally = _Tally()
        torch.compile(fn, backend=tally)(*args)
        torch._dynamo.reset()
        reason = ""
        try:
            with torch._dynamo.error_on_graph_break(True):
                torch.compile(fn, backend=_Tally())(*args)
        except Unsupported as broken:
            reason = next(filter(None, map(str.strip, str(broken).splitlines())), "graph break")
        finally:
            torch._dynamo.reset()
    return {
        "broken": bool(reason),
        "reason": reason,
        "graphs": tally.compiled,
        "operators": tally.operators,
    }


class _Tally:
    """A backend that counts what it is given and how often that runs."""

    def __init__(self):
        self.compiled = self.ran = self.operators = 0

    def __call__(self, graph_module, example_inputs):
        self.compiled += 1
        self.operators += sum(node.op.startswith("call") for node in graph_module.graph.nodes)

        def run(*inputs):
            self.ran += 1
            return graph_module.forward(*inputs)

        return run


class _Settings:
    """A context that puts back the settings of the process: gradients and the random state."""

    def __enter__(self):
        self.fork = torch.random.fork_rng(devices=range(torch.cuda.device_count()))
        self.fork.__enter__()
        self.gradients = torch.is_grad_enabled()
        return self

    def __exit__(self, *error):
        torch.set_grad_enabled(self.gradients)
        self.fork.__exit__(*error)


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
    tally = _Tally()
    compiled = torch.compile(fn, backend=tally, dynamic=dynamic)
    seen = [(0, 0)]
    with _Settings():
        for arguments in calls:
            compiled(*arguments)
            seen.append((tally.compiled, tally.ran))
    steps = list(zip(seen, seen[1:], strict=False))
    return {
        name: [after[place] - before[place] for before, after in steps]
        for place, name in enumerate(("compiled", "ran"))
    }


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
    low, high = torch.aminmax(x.detach())
    return x / torch.maximum(high, low.neg()).clamp(min=1.0)


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
    long = x.detach().norm() > 1
    # Ones where the branch is not taken: their length has a gradient, which `where` then drops.
    safe = torch.where(long, x, torch.ones_like(x))
    return x / torch.where(long, safe.norm(), 1.0)


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


class _Warmup(nn.Module):
    """`FaultyWarmup` with its count in a tensor, which no guard looks at."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.gain = nn.Parameter(torch.ones(()))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x):
        if self.training:
            self.calls = self.calls + 1  # a new tensor: the backward may read the old one
        return x * self.gain * (self.calls.to(x.dtype) / self.steps).clamp(max=1.0)


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
    def passes(training, compiled):
        """Yield the output of one forward, then its gradients."""
        twin = copy.deepcopy(model).train(training)
        twin.zero_grad(set_to_none=True)
        leaf = batch.detach().clone().requires_grad_(batch.is_floating_point())
        call = torch.compile(twin, backend=backend) if compiled else twin
        torch.manual_seed(seed)
        output = call(leaf.clone())  # the model may change its input in place
        yield [output.detach().clone()]
        if output.requires_grad:
            golden = torch.arange(1, output.numel() + 1, dtype=torch.float64) * 0.6180339887498949
            weights = (0.5 + golden.frac()).to(output.device)
            (output.to(torch.float64).reshape(-1) * weights).sum().backward()
        yield [leaf.grad, *(parameter.grad for parameter in twin.parameters())]

    failed = []
    with _Settings(), torch.inference_mode(False), torch.enable_grad():
        for training, mode in ((True, "train"), (False, "eval")):
            torch._dynamo.reset()
            # One after the other, not in turn: each has its own random numbers.
            plain, compiled = (list(passes(training, kind)) for kind in (False, True))
            for what, ours, theirs in zip(("outputs", "gradients"), plain, compiled, strict=True):
                if not all(_agree(*pair, rtol) for pair in zip(ours, theirs, strict=True)):
                    failed.append(f"{mode} {what}")
    return {"agree": not failed, "failed": failed}


def _agree(ours, theirs, rtol):
    """Return whether the tensor of the compiled model agrees with the uncompiled one's."""
    if ours is None or theirs is None:
        return ours is theirs
    if ours.shape != theirs.shape:
        return False
    if not ours.numel():
        return True
    ours, theirs = ours.detach().to(torch.float64), theirs.detach().to(torch.float64)
    near = (ours - theirs).abs() <= rtol * ours.abs().max()
    return bool(((ours == theirs) | near).all())


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
        raise ValueError("warmup and repeats must be 1 or more")

    def laps():
        while True:
            start = clock()
            fn()
            yield clock() - start

    lap = laps()
    warm = [next(lap) for _ in range(warmup)]
    steady = sorted(next(lap) for _ in range(repeats))

    def quantile(share):
        below, part = divmod(share * (repeats - 1), 1)
        pair = steady[int(below) :][:2]
        return pair[0] + part * (pair[-1] - pair[0])

    return {
        "first": warm[0],
        "p50": quantile(0.5),
        "p90": quantile(0.9),
        "cost": math.fsum(warm) - warmup * quantile(0.5),
        "repeats": repeats,
    }


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
    def inner(name):
        return ".".join(part for part in name.split(".") if part != "_orig_mod")

    state = model.state_dict()
    portable = OrderedDict((inner(name), value) for name, value in state.items())
    if hasattr(state, "_metadata"):  # versions of the modules, which load_state_dict reads
        portable._metadata = OrderedDict(
            (inner(name), about) for name, about in state._metadata.items()
        )
    return portable


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
        y = torch.sin(x)
        if y.mean() > 0:
            return 2 * y
        return y * y

    def repaired(x):
        y = torch.sin(x)
        return torch.where(y.mean() > 0, 2 * y, y * y)

    x = torch.linspace(-1.0, 2.0, 6)
    found = [find_break(function, x) for function in (broken, repaired)]
    results = []
    for function in (broken, repaired):
        leaf = x.clone().requires_grad_()
        output = function(leaf)
        (output * torch.arange(1.0, 7.0)).sum().backward()
        results.append((output.detach(), leaf.grad))
    outputs, gradients = (
        _agree(*pair, 1e-5) for pair in zip(*results, strict=True)
    )
    graphs = [entry["graphs"] for entry in found]
    return {
        "broken": broken,
        "repaired": repaired,
        "x": x,
        "graphs": graphs,
        "reason": found[0]["reason"],
        "outputs_equal": outputs,
        "gradients_equal": gradients,
        "sentence": f"The branch on the mean of a tensor broke the function into {graphs[0]} "
        f"graphs, and torch.where repaired it into {graphs[1]} graph.",
    }
