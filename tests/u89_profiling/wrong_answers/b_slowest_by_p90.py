"""Calls the phase with the largest p90 the slowest."""

_p50_table = phase_table


def phase_table(events, waits, warmup=0):
    t = _p50_table(events, waits, warmup)
    t["slowest"] = max(PHASES, key=lambda n: t["rows"][n]["p90"])
    return t
