"""Unit 8.2, NumPy stage: a device that works on its own, and what a clock sees of it.

All times here are in microseconds [us], integers or floats. Only NumPy and the standard library are
needed. No function changes its arguments.

An *op* is a dict, one thing that the program on the host does. A list of ops is a program: the host
goes through it in order.

=============  ===================================================================================
``"name"``     text, different for every op of a program
``"stream"``   text: the queue on the device that the op's work goes into; None: the host's own op
``"launch"``   time the host itself spends on the op [us]; 0 if missing
``"device"``   time the device needs for the op's work [us]; 0 if missing, and 0 without a stream
``"after"``    names of earlier ops with a stream: the *device* begins this op's work only when
               theirs has ended (``stream.wait_event``); the host does not wait. ``[]`` if missing,
               and empty without a stream
``"waits"``    what the *host* waits for before it goes on: names of ops with a stream, earlier ones
               or this one, or the text ``"all"`` for everything handed over so far, this op
               included (``synchronize``). ``[]`` if missing: the host does not wait
=============  ===================================================================================

Work in one stream runs in the order in which it was handed over, one op at a time. Different
streams run beside each other. A blocking copy is an op that waits for itself.
"""

import copy as copying
import math
from collections import deque


def plain(value):
    """Turn a number of Python, NumPy or a tensor of one element into a number of Python."""
    if hasattr(value, "item"):
        return value.item()
    return value


def checked_time(value, what):
    """Return a time as a plain number, or refuse it."""
    value = plain(value)
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{what} must be finite and not negative, not {value}")
    return value


class Op:
    """One op of a program, read from its dict, with the names resolved to other Op objects."""

    def __init__(self, entry):
        self.entry = entry
        self.name = entry["name"]
        self.stream = entry.get("stream")
        self.after = []
        self.waits = []
        self.has_wait = False
        self.launch = 0
        self.device = 0
        self.called = None
        self.returned = None
        self.start = None
        self.end = None

    def read_times(self):
        self.launch = checked_time(self.entry.get("launch", 0), f"launch of {self.name}")
        self.device = checked_time(self.entry.get("device", 0), f"device of {self.name}")
        if self.stream is None and self.device != 0:
            raise ValueError(f"{self.name} has no stream, but work for the device")

    def read_names(self, earlier):
        """Resolve ``after`` and ``waits``; `earlier` has the ops before this one by their name."""
        for name in list(self.entry.get("after", [])):
            if self.stream is None:
                raise ValueError(f"{self.name} has no stream, but an after")
            self.after.append(self.find(name, earlier))
        waits = self.entry.get("waits", [])
        if isinstance(waits, str):
            if waits != "all":
                raise ValueError(f"waits of {self.name} is the text {waits!r}")
            self.has_wait = True
            for op in earlier.values():
                if op.stream is not None:
                    self.waits.append(op)
            if self.stream is not None:
                self.waits.append(self)
            return
        for name in list(waits):
            self.has_wait = True
            if name == self.name and self.stream is not None:
                self.waits.append(self)
            else:
                self.waits.append(self.find(name, earlier))

    def find(self, name, earlier):
        if name not in earlier:
            raise ValueError(f"{self.name} names {name!r}, which is no earlier op")
        if earlier[name].stream is None:
            raise ValueError(f"{self.name} names {name!r}, which has no stream")
        return earlier[name]


class Program:
    """All ops of a program in order, checked."""

    def __init__(self, entries, with_times):
        self.ops = []
        by_name = {}
        for entry in entries:
            op = Op(entry)
            if op.name in by_name:
                raise ValueError(f"two ops have the name {op.name!r}")
            if with_times:
                op.read_times()
            op.read_names(by_name)
            by_name[op.name] = op
            self.ops.append(op)


class Stream:
    """A queue of the device: it remembers when it is through."""

    def __init__(self):
        self.through = 0

    def take(self, op, now):
        start = max(now, self.through)
        for other in op.after:
            start = max(start, other.end)
        op.start = start
        op.end = start + op.device
        self.through = op.end


class Host:
    """The host walks through the ops and hands work to streams."""

    def __init__(self, sync):
        self.sync = sync
        self.now = 0
        self.streams = {}

    def run(self, op):
        op.called = self.now
        self.now = self.now + op.launch
        if op.stream is not None:
            if op.stream not in self.streams:
                self.streams[op.stream] = Stream()
            self.streams[op.stream].take(op, self.now)
        if op.has_wait:
            for other in op.waits:
                self.now = max(self.now, other.end)
            self.now = self.now + self.sync
        op.returned = self.now



def simulate(ops, sync=1):
    """Return when everything happens: a discrete-event model of a host and the streams of a device.

    The host starts at 0, and for each op in turn it

    1. spends ``launch``;
    2. hands the work over, if the op has a stream. The device starts it at the latest of: this
       moment, the end of the op before it in the same stream, and the ends of the ops in ``after``.
       The work ends ``device`` later;
    3. waits, if ``waits`` is not empty, until the work of all these ops has ended, and then spends
       `sync` on the wait itself. It spends `sync` too when there was nothing left to wait for.

    Args:
        ops: The program, a list of ops as described at the top of this file; may be empty.
        sync: What a wait costs the host in itself [us].

    Returns:
        A dict with

        - ``"ops"``: ``{name: {"called", "returned", "start", "end"}}`` [us]: when the host came to
          the op and when it went on, and when the device started and ended the op's work (both
          None for an op without a stream).
        - ``"host"``: when the host is through [us].
        - ``"device"``: when the last work has ended [us]; 0 if there was none.
        - ``"total"``: the later of the two [us].

    Raises:
        ValueError: If two ops have the same name; a time (`sync` too) is negative, NaN or infinite;
            an op without a stream has ``device`` time or an ``after``; ``after`` names something
            that is not an earlier op with a stream, or ``waits`` something that is neither that nor
            this op itself, if it has a stream.
    """
    sync = checked_time(sync, "sync")
    program = Program(ops, with_times=True)
    host = Host(sync)
    for op in program.ops:
        host.run(op)
    device = 0
    for stream in host.streams.values():
        device = max(device, stream.through)
    table = {}
    for op in program.ops:
        table[op.name] = {
            "called": op.called,
            "returned": op.returned,
            "start": op.start,
            "end": op.end,
        }
    return {"ops": table, "host": host.now, "device": device, "total": max(host.now, device)}


def races(ops):
    """Return the pairs of ops that touch the same buffer in an order that nobody guarantees.

    Each op may have two more keys, ``"reads"`` and ``"writes"``: names of the buffers that its work
    reads or writes (``[]`` if missing). For an op with a stream that is the device's work; for one
    without it is what the host does itself, *before* it waits if it waits at all.

    An op comes *for sure* after an earlier op of the program if

    - both are in the same stream, or both have none, or the earlier one has none: the host did it
      before it handed over the later one;
    - the earlier one is in its ``after``;
    - the host has waited for the earlier one, in an op that lies before the later one in the
      program (the earlier op itself, if it waits for itself, or one between the two);
    - or there is an op between them that comes for sure after the one and before the other.

    How long things take says nothing: an order that holds by luck today is a race.

    Args:
        ops: The program. Its times are not looked at and may be missing.

    Returns:
        List of pairs ``[earlier, later]`` of names, in any order: both touch a buffer, at least one
        of them writes it, and the later one does not come for sure after the earlier one.

    Raises:
        ValueError: If two ops have the same name, or ``after`` or ``waits`` names something that
            `simulate` would refuse.
    """
    program = Program(ops, with_times=False)
    history = History()
    for op in program.ops:
        history.add(op)
    touches = {}
    for op in program.ops:
        touches[op.name] = (set(op.entry.get("reads", [])), set(op.entry.get("writes", [])))
    found = []
    for position, later in enumerate(program.ops):
        later_reads, later_writes = touches[later.name]
        for earlier in program.ops[:position]:
            reads, writes = touches[earlier.name]
            clash = writes & (later_reads | later_writes) or reads & later_writes
            if clash and earlier.name not in history.before[later.name]:
                found.append([earlier.name, later.name])
    return found


class History:
    """For each op the names of all that come for sure before it."""

    def __init__(self):
        self.before = {}
        self.host_knows = set()  # what the host has waited for, and all that came before that
        self.last_of_stream = {}  # None is the host's own queue

    def add(self, op):
        mine = set(self.host_knows)
        neighbours = list(op.after)
        for stream in {op.stream, None}:
            if stream in self.last_of_stream:
                neighbours.append(self.last_of_stream[stream])
        for other in neighbours:
            mine |= self.up_to(other)
        self.before[op.name] = mine
        self.last_of_stream[op.stream] = op
        for other in op.waits:
            self.host_knows |= self.up_to(other)

    def up_to(self, op):
        return self.before[op.name] | {op.name}


def measured(before, region, policy, sync=1):
    """Return what a timer prints for a part of a program [us], right or wrong.

    The program is `before` (work that may still be in the queue when the timer starts) and then
    `region` (what is to be timed); both are lists of ops of one program, run as `simulate` runs
    them. The timer reads the host's clock twice, and reading costs nothing. Its own waits are waits
    for everything, without a launch: ``{"stream": None, "waits": "all"}``.

    - ``"naive"``: reads the clock, runs `region`, reads the clock.
    - ``"start_only"``: waits, reads the clock, runs `region`, reads the clock.
    - ``"end_only"``: reads the clock, runs `region`, waits, reads the clock.
    - ``"honest"``: waits, reads the clock, runs `region`, waits, reads the clock.
    - ``"every_op"``: as ``"honest"``, but waits after every op of `region`; this takes the place of
      the wait at the end.
    - ``"events"``: reads no clock of the host and does not wait. It puts a mark into the stream of
      `region` before its first op and one behind its last, and prints the time between the two on
      the device. A mark is reached when the host has put it there and everything before it in its
      stream has ended; putting it there costs nothing.

    Args:
        before: Ops whose work may not have ended yet; may be empty.
        region: The ops to be timed.
        policy: One of the six words.
        sync: What a wait costs the host in itself [us].

    Returns:
        What the timer prints [us].

    Raises:
        ValueError: If `policy` is another word, `simulate` refuses the program, or ``"events"`` is
            asked for and the ops of `region` that have a stream are not all in the same one (or
            there are none).
    """
    if policy not in ("naive", "start_only", "end_only", "honest", "every_op", "events"):
        raise ValueError(f"no policy {policy!r}")
    namer = Namer(list(before) + list(region))
    before, region = list(before), list(region)
    if policy == "events":
        return measured_by_events(before, region, namer, sync)
    head = list(before)
    if policy in ("start_only", "honest", "every_op"):
        head.append(namer.wait())
    tail = []
    for op in region:
        tail.append(op)
        if policy == "every_op":
            tail.append(namer.wait())
    if policy in ("end_only", "honest"):
        tail.append(namer.wait())
    second = simulate(head + tail, sync)["host"]
    first = simulate(head, sync)["host"]
    return second - first


class Namer:
    """Makes ops for the timer, under names that the program does not use."""

    def __init__(self, entries):
        self.used = {entry["name"] for entry in entries}
        self.count = 0

    def fresh(self):
        name = f"timer {self.count}"
        while name in self.used:
            self.count += 1
            name = f"timer {self.count}"
        self.used.add(name)
        return name

    def wait(self):
        return {"name": self.fresh(), "stream": None, "waits": "all"}

    def mark(self, stream):
        """A mark is an op that takes no time: it is over when the device has come to it."""
        return {"name": self.fresh(), "stream": stream}


def measured_by_events(before, region, namer, sync):
    streams = {op.get("stream") for op in region} - {None}
    if len(streams) != 1:
        raise ValueError("events need a region with one stream")
    stream = streams.pop()
    begin, end = namer.mark(stream), namer.mark(stream)
    times = simulate(before + [begin] + region + [end], sync)["ops"]
    return times[end["name"]]["end"] - times[begin["name"]]["end"]


def overlap_makespan(n, copy, compute, buffers=2):
    """Return how long n batches take when copies run beside the computation.

    Batch i is copied to the device and then computed with. One stream copies, one computes, both in
    order, and launching costs nothing. The copy of a batch needs one of `buffers` buffers on the
    device, and a buffer is free again when the batch in it has been computed with. So the copy of
    batch i starts when the copy before it has ended and, from ``i = buffers`` on, the computation
    of batch ``i - buffers`` has ended; its computation starts when its own copy and the computation
    before it have ended.

    Args:
        n: Number of batches, 0 or more.
        copy: Time of each copy, one number or n of them.
        compute: Time of each computation, one number or n of them.
        buffers: Buffers on the device, 1 or more.

    Returns:
        A dict, in the unit of the times, with

        - ``"serial"``: the time if nothing overlaps: all copies plus all computations.
        - ``"overlapped"``: when the last computation has ended.
        - ``"idle"``: how long the computing stream does nothing until then.
        - ``"speedup"``: serial divided by overlapped; 1.0 if both are 0.

    Raises:
        ValueError: If `n` is negative, `buffers` below 1, a time negative, NaN or infinite, or a
            list of times has not n entries.
    """
    n, buffers = plain(n), plain(buffers)
    if n < 0 or buffers < 1:
        raise ValueError("n must be 0 or more and buffers 1 or more")
    copies = times_of_batches(copy, n, "copy")
    computes = times_of_batches(compute, n, "compute")
    in_use = deque()  # when the buffers that hold a batch become free, the oldest first
    copied = 0
    computed = 0
    for copy_time, compute_time in zip(copies, computes, strict=True):
        copy_start = copied
        if len(in_use) == buffers:
            copy_start = max(copy_start, in_use.popleft())
        copied = copy_start + copy_time
        computed = max(computed, copied) + compute_time
        in_use.append(computed)
    serial = sum(copies) + sum(computes)
    speedup = 1.0
    if computed > 0:
        speedup = serial / computed
    return {
        "serial": serial,
        "overlapped": computed,
        "idle": computed - sum(computes),
        "speedup": speedup,
    }


def times_of_batches(times, n, what):
    """Return a list of n checked times."""
    if hasattr(times, "numel"):  # a tensor: a number if it has one element
        times = plain(times) if times.numel() == 1 else times.tolist()
    if hasattr(times, "ndim") and times.ndim == 0:
        times = plain(times)
    if isinstance(times, int | float):
        return [checked_time(times, what) for _ in range(n)]
    values = [checked_time(time, what) for time in times]
    if len(values) != n:
        raise ValueError(f"{len(values)} times of {what} for {n} batches")
    return values


def summarize(samples, warmup=0):
    """Return what to report of repeated timings: the middle, the spread, how many, and the drift.

    The first `warmup` samples are dropped before anything else is done. Everything is computed in
    float64, whatever the dtype of the samples.

    Args:
        samples: Times in the order in which they were taken, in any unit, shape ``[n]``.
        warmup: How many of the first to drop.

    Returns:
        A dict, in the unit of the samples, with

        - ``"n"``: how many were kept.
        - ``"median"``, ``"q1"``, ``"q3"``: 50th, 25th and 75th percentile, with linear
          interpolation as `np.percentile` does by default.
        - ``"iqr"``: q3 less q1.
        - ``"drift"``: median of the second half divided by the median of the first half. With an
          odd number the one in the middle belongs to neither half; 1.0 if there is only one sample
          or both medians are 0, infinite if only the first is.

    Raises:
        ValueError: If `warmup` is negative or leaves no sample, or a sample (a dropped one too) is
            negative, NaN or infinite.
    """
    warmup = plain(warmup)
    values = []
    for sample in samples:
        values.append(float(checked_time(sample, "a sample")))
    if warmup < 0 or warmup >= len(values):
        raise ValueError("warmup is negative or leaves no sample")
    kept = values[warmup:]
    whole = Sorted(kept)
    half = len(kept) // 2
    if half == 0:
        drift = 1.0
    else:
        first = Sorted(kept[:half]).percentile(50)
        second = Sorted(kept[-half:]).percentile(50)
        if first > 0:
            drift = second / first
        elif second > 0:
            drift = math.inf
        else:
            drift = 1.0
    q1, q3 = whole.percentile(25), whole.percentile(75)
    return {
        "n": len(kept),
        "median": whole.percentile(50),
        "q1": q1,
        "q3": q3,
        "iqr": q3 - q1,
        "drift": drift,
    }


class Sorted:
    """Samples in order of size."""

    def __init__(self, values):
        self.values = sorted(values)

    def percentile(self, percent):
        place = (len(self.values) - 1) * percent / 100
        low = math.floor(place)
        high = min(low + 1, len(self.values) - 1)
        return self.values[low] + (place - low) * (self.values[high] - self.values[low])


def bottleneck(ops, sync=1):
    """Return what a program is bound by: the cost that is worth most if it is taken away.

    Each op with a stream also has a ``"kind"``, ``"compute"`` or ``"copy"``. Take one cost away,
    simulate again, and see how much earlier everything is done (``"total"`` of `simulate`):

    - ``"launch"``: every ``launch`` becomes 0 (also of ops without a stream);
    - ``"compute"``: every ``device`` time of the kind compute becomes 0;
    - ``"copy"``: every ``device`` time of the kind copy becomes 0;
    - ``"sync"``: every ``waits`` becomes empty.

    The program is *X-bound* for the X that saves most; of equal ones the first in this order. A
    cost that is hidden behind another one saves nothing, however large it is.

    Args:
        ops: The program.
        sync: What a wait costs the host in itself [us].

    Returns:
        ``{"bound": "launch" | "compute" | "copy" | "sync", "total": us, "savings": {word: us}}``
        with the four savings [us].

    Raises:
        ValueError: If `simulate` refuses the program, the kind of an op with a stream is another
            word or missing, or nothing that is taken away saves anything.
    """
    ops = list(ops)
    total = simulate(ops, sync)["total"]
    for op in ops:
        if op.get("stream") is not None and op.get("kind") not in ("compute", "copy"):
            raise ValueError(f"{op['name']} is of no known kind")
    savings = {}
    for cost in ("launch", "compute", "copy", "sync"):
        without = [op_without(op, cost) for op in ops]
        savings[cost] = total - simulate(without, sync)["total"]
    bound = None
    for cost, saved in savings.items():
        if saved > 0 and (bound is None or saved > savings[bound]):
            bound = cost
    if bound is None:
        raise ValueError("no cost saves anything")
    return {"bound": bound, "total": total, "savings": savings}


def op_without(op, cost):
    """Return a copy of an op that one cost has been taken from."""
    changed = copying.copy(op)
    if cost == "launch":
        changed["launch"] = 0
    elif cost == "sync":
        changed["waits"] = []
    elif op.get("stream") is not None and op["kind"] == cost:
        changed["device"] = 0
    return changed
