"""Times all calls with one pair of events."""

def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    for _ in range(warmup):
        fn()
    begin, end = device.event(), device.event()
    begin.record()
    for _ in range(repeats):
        fn()
    end.record()
    device.synchronize()
    return [begin.elapsed_time(end) / 1000 / repeats] * repeats
