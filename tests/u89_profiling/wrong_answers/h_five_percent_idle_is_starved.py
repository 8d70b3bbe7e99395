"""Calls a device starved from 6 % idle on."""

_twenty = diagnose


def diagnose(measurements):
    m = measurements
    r = _twenty(m)
    idle = (m["wall"] - m["busy"]) / m["wall"]
    if 0.06 <= idle < 0.2:
        return {**_twenty({**m, "wall": m["busy"] * 2}), "utilisation": m["busy"] / m["wall"]}
    return r
