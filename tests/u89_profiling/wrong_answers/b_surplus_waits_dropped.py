"""Refuses too few waits and silently drops surplus ones."""

_same_length = phase_table


def phase_table(events, waits, warmup=0):
    return _same_length(events, list(waits)[: sum(e["name"] == STEP for e in events)], warmup)
