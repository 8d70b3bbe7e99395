"""Falls back to the meter of a CPU without a word.

check = "8.3.k/no_device_no_number"
stage = "torch"
says = "Another device was measured than the one that was asked for. Say that it is not there."
"""

_exact_meter_for = meter_for


def meter_for(device):
    try:
        return _exact_meter_for(device)
    except RuntimeError:
        return LiveMeter()
