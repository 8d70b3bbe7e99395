"""Takes the smaller roofline time as the limit.

check = "8.9.h/what_a_busy_device_does"
stage = "numpy"
says = "The smaller of the two times was taken. Arithmetic and memory traffic run side by side, so the longer one is the limit."
# the checks of many cases have this one among them
also = ["8.9.h/every_diagnosis"]
"""

_longer_time = diagnose


def diagnose(measurements):
    result = _longer_time(measurements)
    other = {"compute": "memory", "memory": "compute"}
    return {**result, "bound": other.get(result["bound"], result["bound"])}
