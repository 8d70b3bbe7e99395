"""Blames the launches even where the device covers them.

check = "8.9.h/why_a_device_is_idle"
stage = "numpy"
says = "The whole launch time was blamed. Launches run ahead while the device works: only what exceeds the busy time leaves it idle."
# the checks of many cases have this one among them
also = ["8.9.h/every_diagnosis"]
"""

_hidden_launches = diagnose


def diagnose(measurements):
    result = _hidden_launches(measurements)
    if result["bound"] == "launch":
        result["seconds"] = measurements["launches"] * measurements["launch_cost"]
    return result
