"""Returns an empty list for no repeats.

check = "8.2.h/no_events_to_read"
stage = "torch"
says = "No repeats, or a negative warm-up, were accepted."
"""

_fair_events = event_times


def event_times(fn, device, warmup=3, repeats=20):
    return _fair_events(fn, device, max(warmup, 0), repeats) if repeats > 0 else []
