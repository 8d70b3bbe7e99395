"""Computes p50 and p90 of the residual from the percentiles of the phases."""

_by_step = phase_table


def phase_table(events, waits, warmup=0):
    t = _by_step(events, waits, warmup)
    for key in ("p50", "p90"):
        t["rows"]["residual"][key] = t["iteration"][key] - sum(t["rows"][n][key] for n in PHASES)
    return t
