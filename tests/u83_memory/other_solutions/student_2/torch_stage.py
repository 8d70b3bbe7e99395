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
from collections import deque
from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral

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

    For a CPU it is a new `LiveMeter`. For CUDA it reads the caching allocator: ``live`` is
    ``torch.cuda.memory_allocated``, ``peak`` is ``torch.cuda.max_memory_allocated`` and
    ``reset_peak()`` is ``torch.cuda.reset_peak_memory_stats``, all of this very device, read
    anew each time; entering and leaving it does nothing. Without a CUDA device the first two return
    0 and raise nothing, so that every budget would be kept.

    Args:
        device: Text such as ``"cuda:1"``, or a `torch.device`.

    Returns:
        A meter.

    Raises:
        RuntimeError: If ``torch.cuda.is_available()`` says that there is no CUDA device and one is
            asked for, and for any other kind of device.
    """
    try:
        device = torch.device(device)
    except TypeError:
        raise RuntimeError(f"no device: {device!r}") from None
    if device.type == "cpu":
        return LiveMeter()
    if device.type != "cuda":
        raise RuntimeError(f"nothing here measures {device}")
    if not torch.cuda.is_available():
        raise RuntimeError(f"there is no {device}; its zeros would not be measured")
    return _CudaMeter(device)


class _CudaMeter:
    """Readings of the caching allocator of one device."""

    def __init__(self, device):
        self.device = device

    @property
    def live(self):
        return torch.cuda.memory_allocated(self.device)

    @property
    def peak(self):
        return torch.cuda.max_memory_allocated(self.device)

    def reset_peak(self):
        torch.cuda.reset_peak_memory_stats(self.device)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


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
    phases = list(phases)
    if not phases:
        raise ValueError("no phase")
    names = [name for name, _ in phases]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"two phases are called {name!r}")
    table = {}
    with meter:
        for name, function in phases:
            meter.reset_peak()
            before = meter.live
            function()
            peak, after = meter.peak, meter.live
            for reading in (before, peak, after):
                if reading is None or reading < 0:
                    raise RuntimeError(f"{name}: {reading} is no measurement")
            if peak < before or peak < after:
                raise RuntimeError(f"{name}: a peak of {peak} is below what was alive")
            table[name] = {"before": before, "peak": peak, "after": after}
    if not any(reading for row in table.values() for reading in row.values()):
        raise RuntimeError("all readings are 0: nothing was measured")
    top = None
    for name in names:
        if top is None or table[name]["peak"] > table[top]["peak"]:
            top = name
    return {"phases": table, "peak": table[top]["peak"], "peak_phase": top}


def _tensors(things):
    """Return the tensors in nested containers, each container looked into once."""
    found, seen, waiting = [], set(), [things]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, torch.Tensor):
            found.append(thing)
            continue
        if isinstance(thing, Mapping):
            inner = list(thing.values())
        elif isinstance(thing, (list, tuple, set, frozenset, deque)):
            inner = list(thing)
        else:
            continue
        if id(thing) not in seen:
            seen.add(id(thing))
            waiting.extend(inner)
    return found


def _storages(tensor):
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices().untyped_storage(), tensor._values().untyped_storage()]
    return [tensor.untyped_storage()]


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
    parameters = list(model.parameters())
    parts = {
        "parameters": parameters,
        "buffers": list(model.buffers()),
        "gradients": [p.grad for p in parameters if p.grad is not None],
        "optimizer": [] if optimizer is None else _tensors(list(optimizer.state.values())),
        "batch": _tensors(batch),
    }
    sizes, known = {}, {}
    for part, tensors in parts.items():
        sizes[part] = 0
        for tensor in tensors:
            for storage in _storages(tensor):
                if storage._cdata not in known:
                    known[storage._cdata] = storage  # held, so that no other gets its address
                    sizes[part] += storage.nbytes()
    return {**sizes, "total": sum(sizes.values())}


def find_leak(step, meter, steps=4, warmup=2):
    """Run steps and say whether what is alive grows with every one of them, and what it holds.

    Enters the meter, runs `warmup` steps that do not count (optimizer states, caches and work
    spaces come once and are no leak), then `steps` more, and reads what is alive after the warm-up
    and after each counted step. What only waits for Python's garbage collector is no leak: collect
    before each reading.

    It is a leak if every counted step ends with more alive than the one before. Tensors that Python
    holds and that have a ``grad_fn`` hold a graph: if there are more of them after every counted
    step, the leak is a ``"graph"`` (a list of losses), else ``"data"``.

    Args:
        step: Function without arguments; what it returns is dropped.
        meter: A meter.
        steps: Steps that count, at least 1.
        warmup: Steps that do not.

    Returns:
        A dict with ``"leaks"`` (bool), ``"live"`` (the ``steps + 1`` readings [B]),
        ``"bytes_per_step"`` (last reading less first, divided by `steps`; 0 if it is no leak) and
        ``"kind"`` (``"graph"``, ``"data"``, or None if it is no leak).

    Raises:
        ValueError: If `steps` is less than 1 or `warmup` negative; no step is run then.
        RuntimeError: If a reading is None, or all of them and the meter's peak are 0: nothing was
            measured.
    """
    for number, least in ((steps, 1), (warmup, 0)):
        if isinstance(number, bool) or not isinstance(number, Integral) or number < least:
            raise ValueError(f"not a count of at least {least}: {number!r}")
    live, graphs = [], []

    def look():
        gc.collect()
        reading = meter.live
        if reading is None:
            raise RuntimeError("the meter cannot tell what is alive")
        live.append(reading)
        holders = 0
        for thing in gc.get_objects():
            if issubclass(type(thing), torch.Tensor) and thing.grad_fn is not None:
                holders += 1
        graphs.append(holders)

    with meter:
        for _ in range(warmup):
            step()
        look()
        for _ in range(steps):
            step()
            look()
        if not any(live) and not meter.peak:
            raise RuntimeError("all readings are 0: nothing was measured")

    leaks = all(later > earlier for earlier, later in pairwise(live))
    kind = None
    if leaks:
        kind = "graph" if all(later > earlier for earlier, later in pairwise(graphs)) else "data"
    return {
        "leaks": leaks,
        "live": live,
        "bytes_per_step": (live[-1] - live[0]) / steps if leaks else 0,
        "kind": kind,
    }


def first_fit(attempt, sizes):
    """Try sizes one after another until one fits into memory.

    Calls ``attempt(size)`` in the order of `sizes`. If it runs out of memory (`MemoryError`,
    `torch.OutOfMemoryError`, or a `RuntimeError` with ``out of memory`` in its text, in any case of
    letters) the next size is tried. An exception holds its traceback, which holds the frames, which
    hold the tensors of the failed attempt: none of those may be alive when the next one begins.

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
    tried = 0
    for size in sizes:
        tried += 1
        try:
            return size, attempt(size)
        except (MemoryError, torch.OutOfMemoryError):
            pass
        except RuntimeError as error:
            if "out of memory" not in str(error).lower():
                raise
        # The exception is gone here; frames that hold one another in a circle need the collector.
        gc.collect()
    if not tried:
        raise ValueError("no sizes")
    raise MemoryError(f"none of {tried} sizes fits")


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
    widths, batch = [int(width) for width in widths], int(batch)
    if len(widths) < 3 or min(widths) < 1 or batch < 1:
        raise ValueError("at least three widths, and a batch")
    count = tensors = 0
    for before, after in pairwise(widths):
        count += before * after + after
        tensors += 2
    predicted = {
        "parameters": 4 * count,
        "gradients": 4 * count,
        "optimizer": 8 * count + 4 * tensors,
        "activations": 4 * batch * sum(widths[1:]) + 8,
    }

    layers = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x, y = torch.randn(batch, widths[0]), torch.randint(widths[-1], (batch,))
    box = {}

    def forward():
        box["loss"] = F.cross_entropy(model(x), y)

    def backward():
        box.pop("loss").backward()
        box["gradients"] = state_bytes(model)["gradients"]

    def update():
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(2):
        forward()
        backward()
        update()
    meter = meter_for("cpu")
    meter.track(list(model.parameters()), list(optimizer.state.values()), x, y)
    found = phase_memory(
        [("forward", forward), ("backward", backward), ("optimizer", update)], meter
    )
    sizes = state_bytes(model, optimizer, (x, y))
    first = found["phases"]["forward"]
    phase = found["peak_phase"]
    return {
        "predicted": predicted,
        "measured": {
            "parameters": sizes["parameters"],
            "gradients": box["gradients"],
            "optimizer": sizes["optimizer"],
            "activations": first["after"] - first["before"],
        },
        "peak_phase": phase,
        "sentence": f"The {phase} phase has the peak, with {found['peak']} B alive.",
    }
