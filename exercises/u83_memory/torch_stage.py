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
    raise NotImplementedError("8.3.k")


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
    raise NotImplementedError("8.3.l")


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
    raise NotImplementedError("8.3.m")


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
    raise NotImplementedError("8.3.n")


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
    raise NotImplementedError("8.3.o")


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
    raise NotImplementedError("8.3.p")
