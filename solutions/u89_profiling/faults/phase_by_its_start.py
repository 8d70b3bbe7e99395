"""Gives a phase to the step that contains its start, even if it ends after it.

check = "8.9.b/every_incomplete_measurement"
stage = "numpy"
says = "A phase that ends after its step was cut to fit. Then the trace or the steps are wrong: refuse it."
"""

_whole = phase_table


def phase_table(events, waits, warmup=0):
    steps = [(e["start"], e["end"]) for e in events if e["name"] == STEP]
    fixed = []
    for e in events:
        if e["name"] in PHASES[1:]:
            for a, b in steps:
                if a <= e["start"] < b < e["end"]:
                    e = {**e, "end": b}
        fixed.append(e)
    return _whole(fixed, waits, warmup)
