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
    raise NotImplementedError("8.2.a")


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
    raise NotImplementedError("8.2.b")


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
    raise NotImplementedError("8.2.c")


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
    raise NotImplementedError("8.2.d")


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
    raise NotImplementedError("8.2.e")


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
    raise NotImplementedError("8.2.f")
