"""Keeps only the last range of a phase in a step.

check = "8.9.b/shares_and_residual"
stage = "numpy"
says = "A phase that comes twice in a step, as the forward does with two micro-batches, has to be added up: the second range replaced the first."
# the checks of many cases have this one among them
also = ["8.9.b/every_loop"]
"""

_summing_phase_table = phase_table


def phase_table(events, waits, warmup=0):
    steps = [e for e in events if e["name"] == "train_step"]
    last = {}
    for event in sorted(events, key=lambda e: e["start"]):
        for number, step in enumerate(steps):
            if step["start"] <= event["start"] and event["end"] <= step["end"]:
                last[number, event["name"]] = event
    outside = [e for e in events if e["name"] in PHASES[1:]]
    kept = [e for e in events if e["name"] not in PHASES[1:]]
    kept += [e for (_, name), e in last.items() if name in PHASES[1:]]
    strays = [
        e
        for e in outside
        if not any(s["start"] <= e["start"] and e["end"] <= s["end"] for s in steps)
    ]
    return _summing_phase_table(kept + strays, waits, warmup)
