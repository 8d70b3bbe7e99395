"""Waits for every event after the last call, where one wait is enough."""


def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
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
