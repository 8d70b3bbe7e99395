"""Waits for the device after each call, to read its events.

check = "8.2.h/the_host_waits_once_and_last"
stage = "torch"
says = "The host waited inside the loop. Keep the pairs of events, and read them when all calls are made."
also = [
  "8.2.h/times_on_the_device",
]
"""


def event_times(fn, device, warmup=3, repeats=20):
    if warmup < 0 or repeats < 1:
        raise ValueError("nothing to time")
    for _ in range(warmup):
        fn()
    times = []
    for _ in range(repeats):
        begin, end = device.event(), device.event()
        begin.record()
        fn()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return times
