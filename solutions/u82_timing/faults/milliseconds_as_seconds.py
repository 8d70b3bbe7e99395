"""Returns milliseconds.

check = "8.2.h/times_on_the_device"
stage = "torch"
says = "These are milliseconds. elapsed_time gives ms, and seconds were asked for."
also = ["8.2.h/events_on_cuda"]
"""

_fair_events = event_times


def event_times(fn, device, warmup=3, repeats=20):
    return [1000 * time for time in _fair_events(fn, device, warmup, repeats)]
