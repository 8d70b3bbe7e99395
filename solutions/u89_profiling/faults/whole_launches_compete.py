"""Chooses by the whole launch time and reports what exceeds the busy time.

check = "8.9.h/every_diagnosis"
stage = "numpy"
says = "The cause was chosen by the whole launch time, most of which the device covers. Subtract first, then compare."
"""

_uncovered = diagnose


def diagnose(measurements):
    r = _uncovered(measurements)
    m = measurements
    whole = m["launches"] * m["launch_cost"]
    if r["bound"] in ("input", "transfer", "sync") and whole > r["seconds"]:
        return {**r, "bound": "launch", "seconds": max(0, whole - m["busy"]), "reason": "launches"}
    return r
