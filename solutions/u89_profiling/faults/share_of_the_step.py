"""Divides by the time of the steps and forgets the wait.

check = "8.9.b/shares_and_residual"
stage = "numpy"
says = "These are shares of the step, without the wait in the denominator. An iteration is the wait and the step: a starved loop must show it."
# the checks of many cases have this one among them
also = ["8.9.b/every_loop"]
"""

_iteration_phase_table = phase_table


def phase_table(events, waits, warmup=0):
    table = _iteration_phase_table(events, waits, warmup)
    step = 1 - table["rows"]["data_wait"]["share"]
    for row in table["rows"].values():
        row["share"] = row["share"] / step if step else 0.0
    return table
