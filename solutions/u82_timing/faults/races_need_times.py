"""Asks every op for its times.

check = "8.2.b/races_of_no_program"
stage = "numpy"
says = "An op without times ended in an error. Races have nothing to do with times: they may be missing."
"""

_fair_races = races


def races(ops):
    _run([{**op, "launch": op["launch"], "device": op["device"]} for op in ops], 0)
    return _fair_races(ops)
