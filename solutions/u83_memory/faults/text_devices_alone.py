"""Knows the CPU by its text alone.

check = "8.3.k/the_cpu_has_a_live_meter"
stage = "torch"
says = "A torch.device of a CPU got no meter. Turn whatever comes in into a torch.device first."
"""

_both_meter_for = meter_for


def meter_for(device):
    if device == "cpu":
        return LiveMeter()
    if str(device).startswith("cpu"):
        raise RuntimeError(f"nothing measures the memory of {device} here")
    return _both_meter_for(device)
