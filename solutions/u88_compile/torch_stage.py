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
        - ``"reason"``: the first line of the error that torch raises for the first break when
          breaks are errors (text), ``""`` if there is none.
        - ``"graphs"``: how many graphs are compiled when `fn` is called once with breaks allowed;
          0 if there is nothing to compile.
        - ``"operators"``: how many nodes these graphs have that call something (those whose ``op``
          begins with ``call``).

    Raises:
        Exception: What `fn` itself raises goes on; it is no break.
    """
    # region 8.8.e
    torch._dynamo.reset()
    counter = _Counter()
    torch.compile(fn, backend=counter)(*args)
    torch._dynamo.reset()
    reason = ""
    try:
        with torch._dynamo.error_on_graph_break(True):
            torch.compile(fn, backend="eager")(*args)
    except torch._dynamo.exc.TorchDynamoException as error:
        reason = str(error).strip().partition("\n")[0]
    finally:
        torch._dynamo.reset()
    return {
        "broken": bool(reason),
        "reason": reason,
        "graphs": counter.graphs,
        "operators": counter.operators,
    }
    # endregion


# region hidden
class _Counter:
    """A backend that counts graphs, their operators, and how often a graph runs."""

    def __init__(self):
        self.graphs = self.operators = self.runs = 0

    def __call__(self, graph_module, example_inputs):
        self.graphs += 1
        self.operators += sum(node.op.startswith("call") for node in graph_module.graph.nodes)

        def run(*inputs):
            self.runs += 1
            return graph_module.forward(*inputs)

        return run


# endregion


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
    # region 8.8.f
    torch._dynamo.reset()
    counter = _Counter()
    compiled = torch.compile(fn, backend=counter, dynamic=dynamic)
    counts = {"compiled": [], "ran": []}
    for args in calls:
        graphs, runs = counter.graphs, counter.runs
        compiled(*args)
        counts["compiled"].append(counter.graphs - graphs)
        counts["ran"].append(counter.runs - runs)
    torch._dynamo.reset()
    return counts
    # endregion


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
    # region 8.8.g
    peak = x.detach().abs().max()
    return x / peak.clamp(min=1.0)
    # endregion


def faulty_unit_ball(x):
    """Pull a vector back to length 1 if it is longer: branches on a value."""
    length = x.norm()
    if length > 1:
        return x / length
    return x * 1


def unit_ball(x):
    """Do what `faulty_unit_ball` does in one graph, without a branch on a value.

    Outputs equal those of `faulty_unit_ball` on both sides of the branch, for zeros, and where an
    entry is NaN (a comparison with NaN is False) or infinite: to a few roundings of the dtype, so
    1e-6 of the largest is near enough in float32 and not in float64. Gradients are as near for
    every finite tensor whose length is not 1 exactly, for zeros as well: a branch that is not taken
    has no gradient, not even NaN. float32 and float64, any layout and size, also without entries;
    the dtype stays. One graph serves changing sizes.

    Args:
        x: Tensor ``[...]`` of floats.

    Returns:
        Tensor like `x`, a new one.
    """
    # region 8.8.h
    length = x.norm()
    return x / torch.where(length > 1, length, torch.ones_like(length))
    # endregion


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
    # region 8.8.i
    return _Warmup(steps)
    # endregion


# region hidden
class _Warmup(nn.Module):
    """Counts its calls in a tensor: the graph reads it, so that no guard is on its value."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.gain = nn.Parameter(torch.ones(()))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x):
        if self.training:
            self.calls = self.calls + 1  # a new tensor: the old one may be read in the backward
        scale = (self.calls.to(torch.float64) / self.steps).clamp(max=1.0)
        return x * self.gain * scale.to(x.dtype)


# endregion


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    """Compare a model with its compiled self: outputs and gradients, training and evaluation.

    For each mode, training and then evaluation, the model runs forward and backward on `batch` once
    uncompiled and once compiled with `backend`, both from the same weights and buffers and each
    after ``torch.manual_seed(seed)``, so that dropout draws the same numbers. The loss is a
    weighted sum of all entries of the output, with weights of which no two are equal, the same ones
    for both. (In a plain sum, outputs may cancel, or be a softmax, whose sum is 1.)

    Two tensors agree if their shapes are equal and no entry differs by more than `rtol` times the
    largest absolute value of the uncompiled one. NaN and infinities agree with nothing. Tensors
    without entries agree if their shapes do. Gradients agree if those of every parameter do and,
    where the batch is of floats, that of the batch; one that is None on one side alone disagrees.

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
    # region 8.8.j
    failed = []
    with torch.random.fork_rng(devices=[]):
        for mode in ("train", "eval"):
            old = _outcome(model, batch, mode == "train", None, seed)
            new = _outcome(model, batch, mode == "train", backend, seed)
            if not _agree(old[0], new[0], rtol):
                failed.append(f"{mode} outputs")
            if old[1].keys() != new[1].keys() or not all(
                _agree(gradient, new[1][name], rtol) for name, gradient in old[1].items()
            ):
                failed.append(f"{mode} gradients")
    return {"agree": not failed, "failed": failed}
    # endregion


# region hidden
def _outcome(model, batch, training, backend, seed):
    """Return output and gradients by name of a copy of the model, run once."""
    model = copy.deepcopy(model).train(training)
    model.zero_grad()
    x = batch.detach().clone()
    if x.is_floating_point():
        x.requires_grad_()
    torch._dynamo.reset()
    run = model if backend is None else torch.compile(model, backend=backend)
    torch.manual_seed(seed)
    with torch.enable_grad():
        output = run(x)
        generator = torch.Generator().manual_seed(seed)
        weights = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        if output.requires_grad:
            (output * weights.to(output.dtype)).sum().backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    return output.detach(), {**gradients, "the batch": x.grad}


def _agree(old, new, rtol):
    """Whether two tensors, or their absence, agree."""
    if old is None or new is None:
        return old is new
    if old.shape != new.shape:
        return False
    if old.numel() == 0:
        return True
    return bool(((old - new).abs() <= rtol * old.abs().max()).all())


# endregion


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
    # region 8.8.k
    if warmup < 1 or repeats < 1:
        raise ValueError("one call compiles and one counts, at least")

    def timed():
        begin = clock()
        fn()
        return clock() - begin

    before = [timed() for _ in range(warmup)]
    times = torch.tensor([timed() for _ in range(repeats)], dtype=torch.float64)
    middle = float(torch.quantile(times, 0.5))
    return {
        "first": before[0],
        "p50": middle,
        "p90": float(torch.quantile(times, 0.9)),
        "cost": math.fsum(before) - warmup * middle,
        "repeats": repeats,
    }
    # endregion


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
    # region 8.8.l
    return {
        ".".join(part for part in name.split(".") if part != "_orig_mod"): value
        for name, value in model.state_dict().items()
    }
    # endregion


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
    # region 8.8.m
    x = torch.tensor([0.5, -0.25, 1.5])

    def broken(x):
        y = torch.tanh(x)
        if y.sum() > 0:
            return y * 2
        return y - 1

    def repaired(x):
        y = torch.tanh(x)
        return torch.where(y.sum() > 0, y * 2, y - 1)

    seen = [find_break(function, x) for function in (broken, repaired)]
    results = []
    for function in (broken, torch.compile(repaired, backend="aot_eager")):
        leaf = x.clone().requires_grad_()
        output = function(leaf)
        output.square().sum().backward()
        results.append((output.detach(), leaf.grad))
    graphs = [found["graphs"] for found in seen]
    (old, old_gradient), (new, new_gradient) = results
    return {
        "broken": broken,
        "repaired": repaired,
        "x": x,
        "graphs": graphs,
        "reason": seen[0]["reason"],
        "outputs_equal": torch.allclose(old, new),
        "gradients_equal": torch.allclose(old_gradient, new_gradient),
        "sentence": f"The branch on a sum made {graphs[0]} graphs; with torch.where there is "
        f"{graphs[1]} graph.",
    }
    # endregion
