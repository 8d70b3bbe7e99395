"""Blames the loader as soon as there is any wait.

check = "8.9.h/why_a_device_is_idle"
stage = "numpy"
says = "The loader was blamed for a wait that explains little of the idle time. Compare what each cause accounts for."
# the checks of many cases have this one among them
also = ["8.9.h/every_diagnosis"]
"""

_largest_cause = diagnose


def diagnose(measurements):
    result = _largest_cause(measurements)
    if result["bound"] in ("transfer", "launch", "sync") and measurements["data_wait"] > 0:
        result["bound"] = "input"
    return result
