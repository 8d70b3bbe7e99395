"""Lets a blocking phase wait for its own work alone.

check = "8.9.i/every_table_of_a_host_clock"
stage = "numpy"
says = "A blocking phase waited for its own work alone. One stream keeps its order, so it waits for all that was handed over before."
"""

_same_wait = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    r = _same_wait(phases, sync_after, steps)
    for p in phases[1:]:
        if p["blocking"]:
            r["host"][p["name"]] = p["launch"] + p["device"]
    return r
