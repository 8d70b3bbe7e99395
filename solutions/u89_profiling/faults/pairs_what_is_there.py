"""Pairs waits with steps as far as they go.

check = "8.9.b/incomplete_measurement"
stage = "numpy"
says = "A missing wait shifts every later wait to the wrong step, silently. If the numbers do not match, something was not measured: refuse."
# the checks of many cases have this one among them
also = ["8.9.b/every_incomplete_measurement"]
"""

_paired_phase_table = phase_table


def phase_table(events, waits, warmup=0):
    steps = sum(e["name"] == "train_step" for e in events)
    return _paired_phase_table(events, (list(waits) + [0] * steps)[:steps], warmup)
