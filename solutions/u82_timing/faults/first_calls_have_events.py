"""Records events for the warm-up calls, and returns those.

check = "8.2.h/times_on_the_device"
stage = "torch"
says = "The times of the first calls are among those that were returned. They belong to the warm-up."
"""

_fair_events = event_times


def event_times(fn, device, warmup=3, repeats=20):
    times = _fair_events(fn, device, 0, warmup + repeats) if warmup >= 0 and repeats > 0 else []
    return times[:repeats] if times else _fair_events(fn, device, warmup, repeats)
