"""Does not miss the roofline measurements while the device is idle.

check = "8.9.h/every_measurement_is_looked_at"
stage = "numpy"
says = "A measurement was missing and nobody noticed, since this case did not need it. The next case will: look at all twelve first."
"""

_all = diagnose


def diagnose(measurements):
    m = measurements
    if m["wall"] - m["busy"] >= 0.2 * m["wall"]:
        m = {"flops": 1.0, "bytes": 1.0, "peak_flops": 1.0, "peak_bandwidth": 1.0, **m}
    return _all(m)
