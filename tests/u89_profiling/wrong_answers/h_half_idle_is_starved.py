"""Calls a device starved from 40 % idle on, not from 20 %."""

_twenty = diagnose


def diagnose(measurements):
    m = measurements
    r = _twenty(m)
    idle = (m["wall"] - m["busy"]) / m["wall"]
    if 0.2 <= idle < 0.4:
        return _twenty({**m, "wall": m["busy"] * 1.01})
    return r
