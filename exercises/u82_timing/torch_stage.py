"""Unit 8.2, PyTorch stage: time code on a device that works on its own, and keep the host quiet.

Nothing here asks whether there is a GPU. The functions get the clock or the device they work with,
so that the same code runs on a CPU, on CUDA, and on the simulated devices of the checks. A *clock*
is anything with the three things that `HostClock` has; a *device* for `event_times` and `prefetch`
is anything with the methods of `CpuDevice` that they use. A function that changes a setting of the
process (the garbage collector's, for example) puts it back before it returns, also when what it
called has raised.
"""

import sys
import time
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode

TORCH_FOLDER = str(Path(torch.__file__).parent)


class HostClock:
    """The host's clock, and a way to wait for the device.

    Attributes:
        resolution: Smallest step of `now` [s]; 0.0 if it has none.
    """

    def __init__(self, device="cpu"):
        self.device = torch.device(device)
        self.resolution = time.get_clock_info("perf_counter").resolution

    def now(self):
        """Return the time [s]."""
        return time.perf_counter()

    def synchronize(self):
        """Wait until the device has done all that was handed to it; a CPU always has."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


class CpuEvent:
    """A mark on a device that is never behind: a reading of the host's clock."""

    def record(self, stream=None):
        """Take the time."""
        self.time = time.perf_counter()

    def synchronize(self):
        """Return at once."""

    def elapsed_time(self, later):
        """Return the time from this mark to a later one [ms]."""
        return 1000 * (later.time - self.time)


class CpuDevice:
    """The host itself, where everything has been done when a call returns."""

    asynchronous = False

    def synchronize(self):
        """Wait for all work of the device."""

    def event(self):
        """Return a new event: ``record(stream)``, ``synchronize()``, ``elapsed_time(later)``."""
        return CpuEvent()


class CudaDevice:
    """A CUDA device. Nothing but `synchronize` and an event's `synchronize` lets the host wait."""

    asynchronous = True

    def synchronize(self):
        """Wait for all work of the device."""
        torch.cuda.synchronize()

    def event(self):
        """Return a new event: ``record(stream)``, ``synchronize()``, ``elapsed_time(later)``."""
        return torch.cuda.Event(enable_timing=True)

    def stream(self):
        """Return a new stream, which has ``wait_event(event)`` and ``wait_stream(stream)``."""
        return torch.cuda.Stream()

    def current_stream(self):
        """Return the stream into which work goes now."""
        return torch.cuda.current_stream()

    def on(self, stream):
        """Return a context in which work goes into another stream."""
        return torch.cuda.stream(stream)

    def upload(self, tensor):
        """Return a copy of a host tensor; the copy goes into the current stream."""
        return tensor.pin_memory().to("cuda", non_blocking=True)

    def record_stream(self, tensor, stream):
        """Tell the allocator that work in this stream uses a tensor made in another one."""
        tensor.record_stream(stream)


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    """Time a function honestly, whatever the clock and the device are like.

    `fn` hands work to a device and returns, maybe before the work is done. There may be work in
    the queue already.

    1. Call `fn` `warmup` times. Nothing about these calls is reported.
    2. A *sample* is: ``clock.synchronize()``, ``clock.now()``, `fn` a number of times with nothing
       between, ``clock.synchronize()``, ``clock.now()``. Divided by the number of calls it is a
       time per call.
    3. A sample must last at least 100 times ``clock.resolution``, within rounding, or the clock's
       steps are a large part of it. The number of calls in a sample is the smallest power of two
       that is enough, from 1 to `most`; try 1, 2, 4, ... until a sample is long enough. A sample
       that is only tried is taken like any other, after the warm-up, and not reported. (With a
       resolution of 0 one call is enough, and nothing has to be tried.)
    4. Take `repeats` samples with this number of calls.

    Args:
        fn: Function without arguments; its results are dropped.
        clock: Has ``now()`` [s], ``synchronize()`` and ``resolution`` [s], as `HostClock` has.
        warmup: Calls before the first sample, 0 or more.
        repeats: Samples, 1 or more.
        most: Largest number of calls in a sample, a power of two.

    Returns:
        A dict with

        - ``"samples"``: time per call of each sample, in order [s], `repeats` of them.
        - ``"calls"``: calls in a sample.
        - ``"n"``: `repeats`.
        - ``"median"``: of the samples [s].
        - ``"iqr"``: 75th less 25th percentile of the samples [s], with linear interpolation.

    Raises:
        ValueError: If `warmup` is negative, `repeats` below 1, or a sample of `most` calls is still
            too short for the clock.
    """
    raise NotImplementedError("8.2.g")


def event_times(fn, device, warmup=3, repeats=20):
    """Time a function by marks in the device's own queue, without making the host wait in between.

    Calls `fn` `warmup` times, then `repeats` times with an event recorded right before and right
    after each call. The host must not wait for the device from the first of these events to the
    last: the device stays busy, and that is the point of events. When all calls are made, wait
    once, and only then read the times; an event that the device has not reached cannot be read.

    Args:
        fn: Function without arguments that hands work to the current stream.
        device: Has ``event()`` and ``synchronize()``, as `CudaDevice` and `CpuDevice` have.
        warmup: Calls before the first event, 0 or more.
        repeats: Calls that are timed, 1 or more.

    Returns:
        List of `repeats` times in order, in seconds [s]; ``elapsed_time`` gives [ms].

    Raises:
        ValueError: If `warmup` is negative or `repeats` below 1.
    """
    raise NotImplementedError("8.2.h")


def time_phases(phases, clock, sync_after=()):
    """Time the phases of a step with a host clock, with a sync after the phases that are named.

    Runs each phase once, in order. For each: read the clock, run the phase, call
    ``clock.synchronize()`` if its name is in `sync_after`, read the clock. There is no other sync,
    before, between or after: where the syncs sit is the caller's decision, and two calls that
    differ in one name show what that sync does to the table.

    Args:
        phases: List of pairs ``(name, function)``; the names differ, the functions take nothing.
        clock: Has ``now()`` [s] and ``synchronize()``, as `HostClock` has.
        sync_after: Names of phases.

    Returns:
        ``{"host": {name: s}, "blamed": name}``: the time of each phase in the order of `phases`,
        and the phase with the largest time (of equal ones the first).

    Raises:
        ValueError: If there are no phases, two have the same name, or `sync_after` has a name that
            is none of theirs; before any phase was run.
    """
    raise NotImplementedError("8.2.i")


def host_syncs(fn):
    """Return the calls in a function at which the host would wait for a device.

    Runs ``fn()`` once under a `torch.overrides.TorchFunctionMode`, on whatever device its tensors
    are: on a CPU nothing waits, but the calls are the same. These wait, since Python must know a
    value, or the size of the result:

    - ``item``, ``tolist``, ``numpy``, ``cpu``, ``nonzero``, ``masked_select``, ``unique``,
      ``equal``, ``allclose``, as functions of torch or methods of a tensor;
    - ``__bool__`` (``if t > 0:``), ``__float__``, ``__int__``, ``__index__``, ``__array__``
      (``np.asarray(t)``), ``__repr__`` (``print(t)``, ``str(t)``), ``__format__`` (``f"{t}"``);
    - ``"mask index"``: ``t[mask]`` or ``t[mask] = value`` where the index is a tensor of booleans,
      or a tuple with one in it.

    Everything else does not count, ``t.sum()``, ``t.max()``, ``t[indices]``, ``t.shape``,
    ``len(t)`` and ``t.to(device)`` among it; nor do ``3 in t``, which waits and is not in the list,
    and what hooks do inside a backward, which the mode does not see.

    Args:
        fn: Function without arguments; what it returns is dropped, what it raises goes on.

    Returns:
        One dict a sync, in the order in which they happened: ``"name"``, as above, and ``"line"``,
        the number of the line that made the call: of the nearest frame that is not in torch's own
        folder (`TORCH_FOLDER`). A sync inside ``optimizer.step()`` therefore counts, at the line
        that calls it. What one of these calls does inside itself does not count again.
    """
    raise NotImplementedError("8.2.j")


def loud_training(step, batches, every, log):
    """Train and log; the version that makes the host wait in every step. Given, for comparison."""
    steps, total = 0, 0.0
    for batch in batches:
        loss = step(batch)
        steps += 1
        total += loss.item()
        if steps % every == 0:
            log(steps, total / every)
            total = 0.0
    if steps % every:
        log(steps, total / (steps % every))
    return steps


def quiet_training(step, batches, every, log):
    """Do what `loud_training` does, with one host sync for each line of the log and no other.

    Calls ``step(batch)`` once for each batch, in order. It returns the loss, a tensor of one
    element on the device (with or without a graph; float32, bfloat16 or float16), a new one each
    time, which nobody edits. After every `every`-th step, and after the last one if steps are left
    over, calls ``log(steps, mean)`` with the number of steps so far (int) and the mean loss of the
    steps since the last line, a Python float. That one number is fetched when it is logged, and
    nothing else of the device is read.

    The mean is exact to float32 (relative 1e-5) for every dtype of the loss: a sum of float16
    losses overflows at 65504. With a NaN or infinite loss the mean of its line is not finite;
    whether it is NaN or infinite is left open. No loss keeps its graph alive after the next step,
    and what is kept, losses and batches, does not grow with the number of steps beyond `every` of
    them.

    Args:
        step: Function of a batch.
        batches: An iterable of batches, which may be empty: then nothing is logged.
        every: Steps for each line of the log, 1 or more.
        log: Function of steps and mean.

    Returns:
        How many steps were made.

    Raises:
        ValueError: If `every` is below 1, before any step.
    """
    raise NotImplementedError("8.2.k")


def prefetch(batches, device):
    """Yield batches on the device, each of them uploaded while the one before it is in use.

    On a device that is not asynchronous (``device.asynchronous`` is False) the batches are passed
    on as they are, the same objects; nothing is pulled ahead of time.

    On an asynchronous device one *copy stream* does all uploads, and one batch is always under
    way: when batch i is yielded, batch i + 1 has been handed over to the copy stream (if there is
    one), and batch i + 2 has not yet been taken from `batches`. The host never waits. A batch is
    used in the stream that is current when it is handed out; the caller may choose another one for
    the next batch. What must hold for every tensor of a batch:

    - it is uploaded with ``device.upload`` inside ``with device.on(copy_stream)``;
    - before the batch is yielded, the stream that is current where the batch is used waits for the
      event that was recorded in the copy stream after its upload (``stream.wait_event(event)``).
      Wait for *this batch's* upload, not for the one that was started after it;
    - its memory belongs to the copy stream, and the allocator hands it to the next upload as soon
      as the last reference is gone, while work that reads it may still be in the queue:
      ``device.record_stream(tensor, stream)`` for the stream that uses it prevents this.

    Args:
        batches: An iterable of batches; a batch is a list or tuple of host tensors, each a new one.
            It may be empty, or shorter than two.
        device: Has the attribute and methods of `CudaDevice`.

    Yields:
        The batches in order, as tuples of device tensors with the same values.
    """
    raise NotImplementedError("8.2.l")


def closed_book_timers(prepare, fn, clock):
    """Closed book: time the same work with each sync missing once, and say which is missed more.

    Without notes. ``prepare()`` puts work into the device's queue and returns at once; ``fn()``
    hands over the work to be timed and returns at once. Run `fn` twice to warm up. Then, for each
    of three timers in this order: wait until the queue is empty, call ``prepare()``, and time one
    call of ``fn()`` by two readings of the clock,

    1. ``"start_only"``: with a sync before the first reading alone,
    2. ``"end_only"``: with a sync before the second reading alone,
    3. ``"honest"``: with a sync before each of the two.

    Args:
        prepare: Function without arguments.
        fn: Function without arguments.
        clock: Has ``now()`` [s] and ``synchronize()``.

    Returns:
        A dict with

        - ``"start_only"``, ``"end_only"``, ``"honest"``: what the three timers print [s].
        - ``"missed"``: ``"start"`` or ``"end"``: the sync without which the print differs more from
          the honest one, in absolute size; ``"end"`` if both differ by the same.
        - ``"sentence"``: one sentence that contains the word in ``"missed"`` as a word of its own,
          and not the other one.
    """
    raise NotImplementedError("8.2.m")
