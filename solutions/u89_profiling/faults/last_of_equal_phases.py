"""Names the last of equal phases.

check = "8.9.i/every_table_of_a_host_clock"
stage = "numpy"
says = "Of phases with equal times the last was named; the first is asked for."
"""

_first = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    r = _first(phases, sync_after, steps)
    names = [p["name"] for p in phases][::-1]
    return {
        **r,
        "blamed": max(names, key=r["host"].get),
        "slowest": max(names, key=r["device"].get),
    }
