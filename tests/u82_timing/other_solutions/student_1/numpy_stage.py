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

import math

import numpy as np


def _times(times):
    if not all(math.isfinite(t) and t >= 0 for t in times):
        raise ValueError(f"a time is negative, NaN or infinite: {times}")


def _touched(ops, key):
    return [set(op.get(key, ())) for op in ops]


def _waited(ops):
    """Check the names; return two masks [i, k]: the host waits for i in k, i is in k's after."""
    n = len(ops)
    waited, after = np.zeros((2, n, n), bool)
    seen, on_device = set(), {}
    for k, op in enumerate(ops):
        name, waits, needs = op["name"], op.get("waits", ()), op.get("after", ())
        if name in seen:
            raise ValueError(f"two ops are called {name!r}")
        seen.add(name)
        if isinstance(needs, str) or (isinstance(waits, str) and waits not in ("all", "")):
            raise ValueError(f"{name!r}: a list of names is needed")
        if len(needs) and op.get("stream") is None or any(a not in on_device for a in needs):
            raise ValueError(f"{name!r} cannot come after {needs}")
        after[[on_device[a] for a in needs], k] = True
        if op.get("stream") is not None:
            on_device[name] = k
        if isinstance(waits, str):
            waits = on_device if waits else ()
        if any(w not in on_device for w in waits):
            raise ValueError(f"{name!r} cannot wait for {waits}")
        waited[[on_device[w] for w in waits], k] = True
    return waited, after


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
    _times([sync])
    _waited(ops)
    host, free, spans = 0, {}, {}
    ends = {}
    for op in ops:
        name, stream = op["name"], op.get("stream")
        launch, device = op.get("launch", 0), op.get("device", 0)
        _times([launch, device])
        if stream is None and device:
            raise ValueError(f"{name!r} has device time, but no stream")
        called, start, end = host, None, None
        host += launch
        if stream is not None:
            start = max([host, free.get(stream, 0), *(ends[a] for a in op.get("after", ()))])
            ends[name] = free[stream] = end = start + device
        waits = op.get("waits", ())
        if len(waits):
            some = ends.values() if isinstance(waits, str) else [ends[w] for w in waits]
            host = max([host, *some]) + sync
        spans[name] = {"called": called, "returned": host, "start": start, "end": end}
    device = max(free.values(), default=0)
    return {"ops": spans, "host": host, "device": device, "total": max(host, device)}


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
    n = len(ops)
    if not n:
        _waited(ops)
        return []
    waited, after = _waited(ops)
    where = {s: i for i, s in enumerate({op.get("stream") for op in ops} - {None})}
    stream = np.array([where.get(op.get("stream"), -1) for op in ops])
    # sure[i, j]: j comes for sure after i. Of the waits, those of i itself up to j - 1 count.
    sure = (stream[:, None] == stream) | (stream[:, None] < 0) | after
    sure[:, 1:] |= np.logical_or.accumulate(waited, axis=1)[:, :-1]
    sure = np.triu(sure, 1)
    for j in range(n):
        sure[:, j] |= sure[:, :j] @ sure[:j, j]
    reads, writes = (_touched(ops, key) for key in ("reads", "writes"))
    buffers = sorted(set().union(*reads, *writes), key=repr)
    R, W = (np.array([[b in some for b in buffers] for some in side], bool).reshape(n, -1)
            for side in (reads, writes))
    clash = (W @ (R | W).T) | (R @ W.T)
    names = [op["name"] for op in ops]
    return [[names[i], names[j]] for i, j in np.argwhere(np.triu(clash & ~sure, 1))]


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
    counter = iter(range(len(region) + 2))
    op = lambda **keys: {"name": ("timer", next(counter)), **keys}  # noqa: E731
    wait = lambda: op(stream=None, waits="all")  # noqa: E731
    before, region = list(before), list(region)
    if policy == "events":
        streams = {r["stream"] for r in region if r.get("stream") is not None}
        if len(streams) != 1:
            raise ValueError(f"events need one stream, not {streams}")
        (stream,) = streams
        marks = op(stream=stream), op(stream=stream)
        times = simulate([*before, marks[0], *region, marks[1]], sync)["ops"]
        begin, end = (times[mark["name"]]["end"] for mark in marks)
        return end - begin
    if policy not in ("naive", "start_only", "end_only", "honest", "every_op"):
        raise ValueError(f"no policy {policy!r}")
    if policy in ("start_only", "honest", "every_op"):
        before.append(wait())
    if policy == "every_op":
        region = [x for r in region for x in (r, wait())]
    if policy in ("end_only", "honest"):
        region.append(wait())
    return simulate(before + region, sync)["host"] - simulate(before, sync)["host"]


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
    if n < 0 or buffers < 1:
        raise ValueError("n below 0, or buffers below 1")
    both = []
    for times in (np.asarray(copy), np.asarray(compute)):
        _times(times.ravel().tolist())
        if times.shape not in ((), (n,)):
            raise ValueError(f"{times.shape} times for {n} batches")
        both.append(np.broadcast_to(times, n).tolist())
    ops = []
    for i, (load, work) in enumerate(zip(*both, strict=True)):
        full = [("work", i - buffers)] if i >= buffers else []
        ops += [
            {"name": ("load", i), "stream": "copy", "device": load, "after": full},
            {"name": ("work", i), "stream": "work", "device": work, "after": [("load", i)]},
        ]
    overlapped, (loads, works) = simulate(ops, 0)["device"], map(sum, both)
    return {
        "serial": loads + works,
        "overlapped": overlapped,
        "idle": max(overlapped - works, 0),
        "speedup": (loads + works) / overlapped if overlapped else 1.0,
    }


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
    x = np.asarray(samples, dtype=np.float64)
    if x.ndim != 1 or not 0 <= warmup < len(x):
        raise ValueError(f"warmup {warmup} leaves nothing of {x.shape}")
    if not (np.isfinite(x) & (x >= 0)).all():
        raise ValueError("a sample is negative, NaN or infinite")
    x = x[warmup:]
    q1, median, q3 = np.percentile(x, [25, 50, 75]).tolist()
    half = len(x) // 2
    drift = 1.0
    if half:
        first, second = float(np.median(x[:half])), float(np.median(x[-half:]))
        drift = second / first if first else (math.inf if second else 1.0)
    return {"n": len(x), "median": median, "q1": q1, "q3": q3, "iqr": q3 - q1, "drift": drift}


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
    total = simulate(ops, sync)["total"]
    if any(op.get("stream") is not None and op.get("kind") not in ("compute", "copy") for op in ops):
        raise ValueError("an op has no kind")

    def without(word, op):
        if word in ("compute", "copy"):
            return op | {"device": 0} if op.get("stream") is not None and op["kind"] == word else op
        return op | ({"launch": 0} if word == "launch" else {"waits": []})

    savings = {
        word: total - simulate([without(word, op) for op in ops], sync)["total"]
        for word in ("launch", "compute", "copy", "sync")
    }
    bound = max(savings, key=savings.get)
    if savings[bound] <= 0:
        raise ValueError("nothing saves anything")
    return {"bound": bound, "total": total, "savings": savings}
