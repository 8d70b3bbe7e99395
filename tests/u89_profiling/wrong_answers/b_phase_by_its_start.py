"""Puts a phase into the step that contains its start, even if it ends after the step."""

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
