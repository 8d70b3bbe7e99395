"""Refuses a phase that begins with its step or ends with it."""

_edges = phase_table


def phase_table(events, waits, warmup=0):
    steps = [e for e in events if e["name"] == STEP]
    for e in events:
        if e["name"] in PHASES[1:] and not any(
            s["start"] < e["start"] and e["end"] < s["end"] for s in steps
        ):
            raise ValueError("outside")
    return _edges(events, waits, warmup)
