"""Accepts a negative wait."""

_nonneg = phase_table


def phase_table(events, waits, warmup=0):
    if any(w < 0 for w in waits):
        return _nonneg(events, [abs(w) for w in waits], warmup)
    return _nonneg(events, waits, warmup)
