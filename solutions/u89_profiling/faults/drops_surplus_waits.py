"""Drops waits that have no step.

check = "8.9.b/every_incomplete_measurement"
stage = "numpy"
says = "A wait without a step was dropped. Nobody knows which one is too many, so every pair may be shifted: refuse."
"""

_same_length = phase_table


def phase_table(events, waits, warmup=0):
    return _same_length(events, list(waits)[: sum(e["name"] == STEP for e in events)], warmup)
