"""Calls the phase with the largest sum the slowest.

check = "8.9.b/every_loop"
stage = "numpy"
says = "The slowest phase was chosen by its sum. A few bursts make a sum large; the usual step is told by p50."
"""

_p50_table = phase_table


def phase_table(events, waits, warmup=0):
    t = _p50_table(events, waits, warmup)
    t["slowest"] = max(PHASES, key=lambda n: t["rows"][n]["share"])
    return t
