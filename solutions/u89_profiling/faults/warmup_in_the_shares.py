"""Leaves the warm-up out of the percentiles and not out of the shares.

check = "8.9.b/every_loop"
stage = "numpy"
says = "The percentiles are without the warm-up and the shares with it. Cut every column once, before anything is computed."
"""

_warm = phase_table


def phase_table(events, waits, warmup=0):
    t = _warm(events, waits, warmup)
    for name, row in _warm(events, waits, 0)["rows"].items():
        t["rows"][name]["share"] = row["share"]
    return t
