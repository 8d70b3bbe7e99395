"""Lets the timer wait for the streams of the region alone.

check = "8.2.c/what_the_timers_print"
stage = "numpy"
says = "The timer's wait was over while another stream was still at work. It waits for everything."
also = [
  "8.2.c/timers_in_any_program",
  "8.2.c/what_events_print",
]
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    _fair_measured(before, region, policy, sync)
    streams = {op["stream"] for op in region}
    own = [
        {**op, "device": 0, "after": []}
        if op["stream"] is not None and op["stream"] not in streams
        else op
        for op in before
    ]
    return _fair_measured(own, region, policy, sync)
