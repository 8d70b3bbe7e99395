"""Unit 8.3, PyTorch stage: meter a training step phase by phase, name its bytes, find its leaks.

A *meter* is a context manager with ``live`` (bytes alive now [B, int]), ``peak`` (the most since it
was made or since the last ``reset_peak()`` [B, int]) and ``reset_peak()``, which lets the peak
begin anew at what is alive. The checks hand in meters of their own. A meter that cannot tell gives
None.

Bytes are those of storages: a view, a transpose, a tied weight or an expanded tensor is no second
one, and a slice that is alive keeps the whole storage it was cut from.
"""

import gc
import weakref
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveMeter(TorchDispatchMode):
    """A meter for a CPU, given: live tensor bytes, counted whenever an operator has returned.

    While it is entered, each new storage is counted once, until it dies. What existed before is
    counted from ``track`` on. It does not see what an operator allocates and frees inside itself.
    """

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.live = self.peak = 0
        self._known = set()

    def reset_peak(self):
        """Let the peak begin anew at what is alive now."""
        self.peak = self.live

    def track(self, *things):
        """Count tensors that exist already: tensors, or nested lists, tuples and dicts of them."""
        for leaf in tree_leaves(things):
            if isinstance(leaf, torch.Tensor):
                self._count(leaf.untyped_storage())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run an operator and count what it returns."""
        result = func(*args, **(kwargs or {}))
        self.track(result)
        return result

    def _count(self, storage):
        key, size = storage._cdata, storage.nbytes()
        if key not in self._known:
            self._known.add(key)
            self.live += size
            self.peak = max(self.peak, self.live)
            weakref.finalize(storage, self._forget, key, size).atexit = False

    def _forget(self, key, size):
        self._known.remove(key)
        self.live -= size


def meter_for(device):
    """Return a meter for a device, or refuse: what is not measured is not zero.

    For a CPU it is a new `LiveMeter` each time. For CUDA it reads the caching allocator: ``live``
    is ``torch.cuda.memory_allocated``, ``peak`` is ``torch.cuda.max_memory_allocated`` and
    ``reset_peak()`` is ``torch.cuda.reset_peak_memory_stats``, all of this very device, read
    anew each time; entering and leaving it does nothing, and an error within goes through. Without
    a CUDA device the first two return 0 and raise nothing, so that every budget would be kept.

    Args:
        device: Text such as ``"cuda:1"``, or a `torch.device`.

    Returns:
        A meter.

    Raises:
        RuntimeError: If ``torch.cuda.is_available()`` says that there is no CUDA device and one is
            asked for, and for any other kind of device.
    """
    # region 8.3.k
    device = torch.device(device)
    if device.type == "cpu":
        return LiveMeter()
    if device.type != "cuda" or not torch.cuda.is_available():
        raise RuntimeError(f"nothing measures the memory of {device} here")
    return _CudaMeter(device)
    # endregion


# region hidden
class _CudaMeter:
    """What CUDA's caching allocator says."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    @property
    def live(self):
        return torch.cuda.memory_allocated(self.device)

    @property
    def peak(self):
        return torch.cuda.max_memory_allocated(self.device)

    def reset_peak(self):
        torch.cuda.reset_peak_memory_stats(self.device)


# endregion


def phase_memory(phases, meter):
    """Run the phases of a step and return what was alive before, at most within, and after each.

    Each phase is called once, without arguments, in the order of the list, with the meter entered
    (once, round all of them). Before each the peak is reset. What a phase returns is dropped before
    the reading after it. An error in a phase goes through, and the meter is left.

    A reading that cannot be true is refused: what was not measured must not be reported, least of
    all as zero.

    Args:
        phases: List of ``(name, function)``; at least one, no name twice.
        meter: A meter.

    Returns:
        A dict with ``"phases"``: ``{name: {"before", "peak", "after"}}`` in the order of the list,
        ``"peak"``: the largest of the peaks [B], and ``"peak_phase"``: its phase, of equal ones the
        first.

    Raises:
        ValueError: If there is no phase or a name comes twice; no phase is run then.
        RuntimeError: If a reading is None or negative, a peak is less than what was alive before or
            after the same phase, or all readings of all phases are 0.
    """
    # region 8.3.l
    phases = list(phases)
    if not phases or len({name for name, _ in phases}) < len(phases):
        raise ValueError("phases need names, each its own")
    seen = {}
    with meter:
        for name, function in phases:
            meter.reset_peak()
            before = meter.live
            function()
            # the peak first: it cannot rise by reading what is alive
            seen[name] = {"before": before, "peak": meter.peak, "after": meter.live}
    _refuse_unmeasured(seen)
    top = max(seen, key=lambda name: seen[name]["peak"])
    return {"phases": seen, "peak": seen[top]["peak"], "peak_phase": top}
    # endregion


# region hidden
def _refuse_unmeasured(seen):
    """Raise RuntimeError if readings cannot be those of a meter that measured."""
    readings = [value for phase in seen.values() for value in phase.values()]
    if any(value is None or value < 0 for value in readings) or not any(readings):
        raise RuntimeError(f"nothing was measured: {readings}")
    for name, phase in seen.items():
        if phase["peak"] < max(phase["before"], phase["after"]):
            raise RuntimeError(f"the peak of {name} is below what was alive: {phase}")


# endregion


def state_bytes(model, optimizer=None, batch=()):
    """Return the bytes that a training state occupies, by what they are for.

    Looks at the objects themselves, so that it needs no step. Each storage is counted once and as a
    whole, whatever part of it a tensor shows, and for the first of these in which it occurs:

    1. ``"parameters"`` of the model, frozen ones too
    2. ``"buffers"`` of the model, those that are not saved too
    3. ``"gradients"``: the ``.grad`` of its parameters
    4. ``"optimizer"``: every tensor in the optimizer's ``state``, nested as it may be; step
       counters too
    5. ``"batch"``: every tensor in `batch`

    Args:
        model: An `nn.Module`.
        optimizer: A `torch.optim.Optimizer`, or None.
        batch: A tensor, or nested lists, tuples and dicts of tensors and other things.

    Returns:
        A dict of the five, and their sum ``"total"`` [B, int]. A part that is not there is 0.
    """
    # region 8.3.m
    parameters = list(model.parameters())
    parts = {
        "parameters": parameters,
        "buffers": list(model.buffers()),
        "gradients": [p.grad for p in parameters],
        "optimizer": [] if optimizer is None else tree_leaves(list(optimizer.state.values())),
        "batch": tree_leaves(batch),
    }
    known, sizes = set(), {}
    for name, leaves in parts.items():
        sizes[name] = 0
        for leaf in leaves:
            if isinstance(leaf, torch.Tensor):
                storage = leaf.untyped_storage()
                if storage._cdata not in known:
                    known.add(storage._cdata)
                    sizes[name] += storage.nbytes()
    return {**sizes, "total": sum(sizes.values())}
    # endregion


def find_leak(step, meter, steps=4, warmup=2):
    """Run steps and say whether what is alive grows with every one of them, and what it holds.

    Enters the meter, runs `warmup` steps that do not count (optimizer states, caches and work
    spaces come once and are no leak), then `steps` more, and reads what is alive after the warm-up
    and after each counted step. What only waits for Python's garbage collector is no leak: collect
    before each reading.

    It is a leak if every counted step ends with more alive than the one before. Only differences
    count: a reading below zero is taken as it is. Tensors that Python
    holds and that have a ``grad_fn`` hold a graph: if there are more of them after every counted
    step, the leak is a ``"graph"`` (a list of losses), else ``"data"``.

    Args:
        step: Function without arguments; what it returns is dropped.
        meter: A meter.
        steps: Steps that count, at least 1.
        warmup: Steps that do not.

    Returns:
        A dict with ``"leaks"`` (bool), ``"live"`` (the ``steps + 1`` readings [B]),
        ``"bytes_per_step"`` (last reading less first, divided by `steps`, an int or a float; 0 if
        it is no leak) and
        ``"kind"`` (``"graph"``, ``"data"``, or None if it is no leak).

    Raises:
        ValueError: If `steps` is less than 1 or `warmup` negative; no step is run then.
        RuntimeError: If a reading is None, or all of them and the meter's peak are 0: nothing was
            measured.
    """
    # region 8.3.n
    if steps < 1 or warmup < 0:
        raise ValueError(f"{steps} steps after {warmup} show nothing")
    live, graphs = [], []
    with meter:
        for number in range(warmup + steps + 1):
            if number >= warmup:
                gc.collect()
                live.append(meter.live)
                graphs.append(_graph_holders())
            if number < warmup + steps:
                step()
        peak = meter.peak
    if None in live or not (any(live) or peak):
        raise RuntimeError(f"nothing was measured: {live}")
    leaks = _rises(live)
    kind = "graph" if _rises(graphs) else "data"
    return {
        "leaks": leaks,
        "live": live,
        "bytes_per_step": (live[-1] - live[0]) / steps if leaks else 0,
        "kind": kind if leaks else None,
    }
    # endregion


# region hidden
def _graph_holders():
    """Return how many tensors with a grad_fn Python holds."""
    tensors = (thing for thing in gc.get_objects() if type(thing) in (torch.Tensor, nn.Parameter))
    return sum(tensor.grad_fn is not None for tensor in tensors)


def _rises(numbers):
    """Whether each number is larger than the one before."""
    return all(a < b for a, b in pairwise(numbers))


# endregion


def first_fit(attempt, sizes):
    """Try sizes one after another until one fits into memory.

    Calls ``attempt(size)`` in the order of `sizes`. If it runs out of memory (`MemoryError`,
    `torch.OutOfMemoryError`, or a `RuntimeError` with ``out of memory`` in its text, in any case of
    letters) the next size is tried. It is taken from `sizes` only then: they may have no end. An
    exception holds its traceback, which holds the frames, which hold the tensors of the failed
    attempt: none of those may be alive when the next one begins. Where an attempt keeps its own
    exception (``self.error = error``), frame and exception hold each other, and only the garbage
    collector ends that.

    Args:
        attempt: Function of a size.
        sizes: Iterable of sizes.

    Returns:
        ``(size, result)`` of the first attempt that does not run out of memory.

    Raises:
        ValueError: If there are no sizes.
        MemoryError: If none fits. It holds nothing of the failed attempts either.
        Exception: Any other error of an attempt goes through as it is, and nothing else is tried.
    """
    # region 8.3.o
    tried = 0
    for size in sizes:
        tried += 1
        try:
            return size, attempt(size)
        except (MemoryError, torch.OutOfMemoryError):
            pass
        except RuntimeError as error:
            if "out of memory" not in str(error).casefold():
                raise
        # only here, outside of the handlers, has the exception gone, unless it is in a cycle
        gc.collect()
    if not tried:
        raise ValueError("there is no size to try")
    raise MemoryError(f"none of {tried} sizes fits")
    # endregion


def closed_book_memory(widths, batch):
    """Closed book: predict the bytes of an mlp's step, run it, and say what the peak is made of.

    Without notes, on a CPU, in float32: build ``Linear, ReLU, Linear, ..., Linear`` with biases,
    with at least one ReLU, and AdamW of `torch.optim` with ``foreach=False``; make data and labels
    for a cross entropy; run at least two steps with ``zero_grad()`` at the end and measure the last
    one. The functions and the meter of this file may be used.

    Args:
        widths: ``[n_0, ..., n_L]``, at least three.
        batch: Examples.

    Returns:
        A dict with

        - ``"predicted"``: ``{"parameters", "gradients", "optimizer", "activations"}`` [B, int],
          computed from `widths` and `batch` alone. Gradients are those after the backward.
          Activations are what the forward adds to what was alive before it, the loss included.
        - ``"measured"``: the same four, measured, byte for byte.
        - ``"peak_phase"``: ``"forward"``, ``"backward"`` or ``"optimizer"``, whichever has the
          largest peak of all live bytes. The optimizer phase is ``step()`` and ``zero_grad()``.
        - ``"sentence"``: one sentence that contains the name of that phase and of no other.
    """
    # region 8.3.p
    layers = []
    for n, m in pairwise(widths):
        layers += [nn.Linear(n, m), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x, y = torch.randn(batch, widths[0]), torch.randint(widths[-1], (batch,))
    held, sizes = {}, {}

    def forward():
        held["loss"] = F.cross_entropy(model(x), y)

    def backward():
        held.pop("loss").backward()
        sizes["gradients"] = state_bytes(model)["gradients"]

    def update():
        optimizer.step()
        optimizer.zero_grad()

    phases = [("forward", forward), ("backward", backward), ("optimizer", update)]
    phase_memory(phases, LiveMeter())
    meter = LiveMeter()
    meter.track(
        list(model.parameters()), [list(s.values()) for s in optimizer.state.values()], x, y
    )
    seen = phase_memory(phases, meter)
    state, first = state_bytes(model, optimizer), seen["phases"]["forward"]
    weights = sum(n * m + m for n, m in pairwise(widths))
    tensors = 2 * (len(widths) - 1)
    return {
        "predicted": {
            "parameters": 4 * weights,
            "gradients": 4 * weights,
            "optimizer": 8 * weights + 4 * tensors,
            "activations": 4 * batch * sum(widths[1:]) + 8,
        },
        "measured": {
            "parameters": state["parameters"],
            "gradients": sizes["gradients"],
            "optimizer": state["optimizer"],
            "activations": first["after"] - first["before"],
        },
        "peak_phase": seen["peak_phase"],
        "sentence": f"The most is alive in the {seen['peak_phase']}, {seen['peak']} B.",
    }
    # endregion
