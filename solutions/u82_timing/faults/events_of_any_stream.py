"""Puts the marks into the stream of the first op, whatever the others are in.

check = "8.2.c/timers_that_there_are_not"
stage = "numpy"
says = "Events were given for a region in two streams. A mark belongs to one stream and says nothing about the other."
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    if policy == "events":
        streams = [op["stream"] for op in region if op["stream"] is not None]
        if len(set(streams)) > 1:
            region = [{**op, "stream": streams[0]} if op["stream"] else op for op in region]
    return _fair_measured(before, region, policy, sync)
