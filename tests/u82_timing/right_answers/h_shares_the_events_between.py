"""Uses the end of one call as the beginning of the next."""

def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    for _ in range(warmup):
        fn()
    marks = [device.event() for _ in range(repeats + 1)]
    marks[0].record()
    for mark in marks[1:]:
        fn()
        mark.record()
    marks[-1].synchronize()
    return tuple(a.elapsed_time(b) / 1e3 for a, b in zip(marks, marks[1:], strict=False))
