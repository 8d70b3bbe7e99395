"""Waits for every event after the last call.

check = "8.2.h/the_host_waits_once_and_last"
stage = "torch"
says = "The host waited for each event by itself. When all calls are made one wait is enough: what comes first in a stream has ended before what comes last."
"""


def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("nothing to time")
    for _ in range(warmup):
        fn()
    pairs = []
    for _ in range(repeats):
        begin, end = device.event(), device.event()
        begin.record()
        fn()
        end.record()
        pairs.append((begin, end))
    times = []
    for begin, end in pairs:
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return times
