"""Plain Python: lists, the traceback module, and streams that wait for streams.

Nothing here asks whether there is a GPU. The functions get the clock or the device they work with,
so that the same code runs on a CPU, on CUDA, and on the simulated devices of the checks. A *clock*
is anything with the three things that `HostClock` has; a *device* for `event_times` and `prefetch`
is anything with the methods of `CpuDevice` that they use. A function that changes a setting of the
process puts it back before it returns.
"""

import statistics
import time
import traceback
from itertools import pairwise
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


def _take(fn, clock, calls):
    clock.synchronize()
    begin = clock.now()
    for _ in range(calls):
        fn()
    clock.synchronize()
    return clock.now() - begin


def time_callable(fn, clock, warmup=3, repeats=20, most=1024):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    [fn() for _ in range(warmup)]
    for calls in (2**power for power in range(most.bit_length())):
        if not clock.resolution or _take(fn, clock, calls) >= 100 * clock.resolution:
            break
    else:
        raise ValueError("the function is too short for the clock")
    samples = tuple(_take(fn, clock, calls) / calls for _ in range(repeats))
    if repeats == 1:
        middle, iqr = samples[0], 0.0
    else:
        q1, middle, q3 = statistics.quantiles(samples, n=4, method="inclusive")
        iqr = q3 - q1
    return {"samples": samples, "calls": calls, "n": len(samples), "median": middle, "iqr": iqr}


def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    marks = [(device.event(), device.event()) for _ in range(repeats)]
    for number in range(-warmup, repeats):
        if number >= 0:
            marks[number][0].record(None)
        fn()
        if number >= 0:
            marks[number][1].record(None)
    marks[-1][1].synchronize()
    return [begin.elapsed_time(end) * 1e-3 for begin, end in marks]


def time_phases(phases, clock, sync_after=()):
    names = [name for name, _ in phases]
    if not names or sorted(set(names)) != sorted(names):
        raise ValueError("names of the phases")
    for name in sync_after:
        if name not in names:
            raise ValueError(f"no phase is named {name}")
    readings = [clock.now()]
    for name, run in phases:
        run()
        if name in sync_after:
            clock.synchronize()
        readings.append(clock.now())
    spans = [after - before for before, after in pairwise(readings)]
    return {
        "host": dict(zip(names, spans, strict=True)), "blamed": names[spans.index(max(spans))]
    }  # fmt: skip


_WAITING = [
    "item", "tolist", "numpy", "cpu", "nonzero", "masked_select", "unique", "equal", "allclose",
    "__bool__", "__float__", "__int__", "__index__", "__array__", "__repr__", "__format__",
]  # fmt: skip


class _Watch(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = func.__name__
        if name.endswith("item__"):
            index = args[1] if isinstance(args[1], tuple) else [args[1]]
            dtypes = [getattr(part, "dtype", None) for part in index]
            name = "mask index" if torch.bool in dtypes else ""
        if name == "mask index" or name in _WAITING:
            outside = [
                frame for frame in traceback.extract_stack()[:-1]
                if not frame.filename.startswith(TORCH_FOLDER + "/")
            ]  # fmt: skip
            self.seen.append({"name": name, "line": outside[-1].lineno})
        return func(*args, **(kwargs or {}))


def host_syncs(fn):
    watch = _Watch()
    with watch:
        fn()
    return watch.seen


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, losses = 0, []
    for batch in batches:
        losses.append(step(batch).detach().reshape(()))
        steps += 1
        if len(losses) == every:
            log(steps, torch.stack(losses).double().mean().item())
            losses.clear()
    if losses:
        log(steps, statistics.fmean(torch.stack(losses).tolist()))
    return steps


def prefetch(batches, device):
    if not device.asynchronous:
        yield from (batch for batch in batches)
        return
    source, side, users = iter(batches), device.stream(), set()

    def upload():
        """Start the next upload when all that was computed so far is over; None at the end."""
        for batch in source:
            for user in users:
                side.wait_stream(user)
            with device.on(side):
                return tuple([device.upload(tensor) for tensor in batch])
        return None

    coming = upload()
    while coming is not None:
        users.add(device.current_stream())
        device.current_stream().wait_stream(side)
        # what waits now waits for this batch alone: the next one starts afterwards
        ready, coming = coming, upload()
        yield ready
        del ready


def closed_book_timers(prepare, fn, clock):
    def printed(at_start, at_end):
        clock.synchronize()
        prepare()
        if at_start:
            clock.synchronize()
        begin = clock.now()
        fn()
        if at_end:
            clock.synchronize()
        return clock.now() - begin

    for _ in range(2):
        fn()
    result = {
        "start_only": printed(True, False), "end_only": printed(False, True),
        "honest": printed(True, True),
    }  # fmt: skip
    by_start = abs(result["end_only"] - result["honest"])
    by_end = abs(result["start_only"] - result["honest"])
    if by_start > by_end:
        sentence = "Start: without a sync there, older work is printed."
    else:
        sentence = "The sync at the END of the region matters most!"
    return {**result, "missed": "start" if by_start > by_end else "end", "sentence": sentence}
