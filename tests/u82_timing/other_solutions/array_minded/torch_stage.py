"""Array-minded: tensors wherever they serve, buffers on the device, and deques.

Nothing here asks whether there is a GPU. The functions get the clock or the device they work with,
so that the same code runs on a CPU, on CUDA, and on the simulated devices of the checks. A *clock*
is anything with the three things that `HostClock` has; a *device* for `event_times` and `prefetch`
is anything with the methods of `CpuDevice` that they use. A function that changes a setting of the
process puts it back before it returns.
"""

import sys
import time
from collections import deque
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
    if min(warmup, repeats - 1) < 0:
        raise ValueError("warmup or repeats")

    def sample(calls):
        readings = []
        for work in (0, calls):
            for _ in range(work):
                fn()
            clock.synchronize()
            readings.append(clock.now())
        return readings[1] - readings[0]

    for _ in range(warmup):
        fn()
    calls = 1
    while sample(calls) < 100 * clock.resolution:
        calls = 2 * calls
        if calls > most:
            raise ValueError("too short")
    samples = torch.tensor([sample(calls) for _ in range(repeats)], dtype=torch.float64) / calls
    q = torch.quantile(samples, torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64))
    return {"samples": samples.numpy(), "calls": calls, "n": repeats, "median": q[1].item(),
            "iqr": (q[2] - q[0]).item()}  # fmt: skip


def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    for _ in range(warmup):
        fn()
    device.synchronize()
    marks = []
    for _ in range(repeats):
        pair = device.event(), device.event()
        pair[0].record()
        fn()
        pair[1].record()
        marks.append(pair)
    device.synchronize()
    times = torch.tensor([a.elapsed_time(b) for a, b in marks], dtype=torch.float64)
    return (times / 1000).tolist()


def time_phases(phases, clock, sync_after=()):
    table, after = dict(phases), set(sync_after)
    if not table or len(table) != len(phases) or after - table.keys():
        raise ValueError("phases or sync_after")
    host = {}
    for name, run in table.items():
        begin = clock.now()
        run()
        None if name not in after else clock.synchronize()
        host[name] = clock.now() - begin
    times = torch.tensor(list(host.values()), dtype=torch.float64)
    return {"host": host, "blamed": list(host)[int((times == times.max()).nonzero()[0])]}


_NAMES = {
    getattr(torch.Tensor, name) for name in (
        "item", "tolist", "numpy", "cpu", "nonzero", "masked_select", "unique", "equal", "allclose",
        "__bool__", "__float__", "__int__", "__index__", "__array__", "__repr__", "__format__",
    )
} | {torch.nonzero, torch.masked_select, torch.unique, torch.equal, torch.allclose}  # fmt: skip
_NAMED = {function.__name__ for function in _NAMES}


def host_syncs(fn):
    found = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = func.__name__ if func.__name__ in _NAMED else None
            if func in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
                parts = args[1] if isinstance(args[1], tuple) else (args[1],)
                if any(torch.is_tensor(p) and p.dtype is torch.bool for p in parts):
                    name = "mask index"
            if name:
                frame = sys._getframe().f_back
                while frame.f_code.co_filename.startswith(f"{TORCH_FOLDER}/"):
                    frame = frame.f_back
                found.append({"line": frame.f_lineno, "name": name})
            return func(*args, **(kwargs or {}))

    with Mode():
        fn()
    return found


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, at, kept = 0, 0, None
    for batch in batches:
        loss = step(batch).detach()
        if kept is None:
            kept = torch.zeros(every, dtype=torch.float32, device=loss.device)
        kept[at] = loss.reshape(())
        steps, at = steps + 1, (at + 1) % every
        if at == 0:
            log(steps, float(kept.mean()))
    if at:
        log(steps, float(kept[:at].mean()))
    return steps


def prefetch(batches, device):
    if not device.asynchronous:
        yield from iter(batches)
        return
    side, under_way = device.stream(), deque()

    def hand_out():
        tensors, arrived = under_way.popleft()
        user = device.current_stream()
        user.wait_event(arrived)
        for tensor in tensors:
            device.record_stream(tensor, user)
        return tensors

    for batch in batches:
        with device.on(side):
            tensors = tuple(map(device.upload, batch))
            arrived = device.event()
            arrived.record(side)
        under_way.append((tensors, arrived))
        del tensors, arrived
        if len(under_way) == 2:
            yield hand_out()
    while under_way:
        yield hand_out()


def closed_book_timers(prepare, fn, clock):
    fn(), fn()
    times = []
    for start, end in ((True, False), (False, True), (True, True)):
        clock.synchronize()
        prepare()
        for wait in [clock.synchronize] * start:
            wait()
        times.append(-clock.now())
        fn()
        for wait in [clock.synchronize] * end:
            wait()
        times[-1] += clock.now()
    off = torch.tensor(times, dtype=torch.float64)[:2] - times[2]
    missed = ("end", "start")[int(off.abs().argmax())]
    return {"start_only": times[0], "end_only": times[1], "honest": times[2], "missed": missed,
            "sentence": f"It is the sync at the {missed} that is missed."}  # fmt: skip
