"""Chooses the cause with the whole launch time, also the part the device covers; reports what exceeds it."""

_uncovered = diagnose


def diagnose(measurements):
    r = _uncovered(measurements)
    m = measurements
    whole = m["launches"] * m["launch_cost"]
    if r["bound"] in ("input", "transfer", "sync") and whole > r["seconds"]:
        return {**r, "bound": "launch", "seconds": max(0, whole - m["busy"]), "reason": "launches"}
    return r
