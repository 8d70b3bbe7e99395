"""Clamps a residual and shares at 0 and forgets nested phase pieces: phases on another thread are dropped."""

_any_thread = phase_table


def phase_table(events, waits, warmup=0):
    threads = {e["thread"] for e in events if e["name"] == STEP}
    return _any_thread(
        [e for e in events if e["thread"] in threads or e["name"] not in PHASES], waits, warmup
    )
