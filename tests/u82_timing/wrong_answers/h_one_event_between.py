"""Takes the end of one call for the beginning of the next, from the first on."""

def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("warmup or repeats")
    marks = [device.event()]
    marks[0].record()
    for _ in range(warmup + repeats):
        fn()
        marks.append(device.event())
        marks[-1].record()
    device.synchronize()
    times = [a.elapsed_time(b) / 1000 for a, b in zip(marks, marks[1:])]
    return times[:repeats]
