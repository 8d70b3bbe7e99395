"""Takes any device that torch knows for one that is here.

check = "8.4.m/device_that_is_not_there"
stage = "torch"
says = "Autocast for a device that is not here disables itself with a warning, and the run is a float32 run. Ask whether it is here."
"""

_looks_at_the_machine = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    return _looks_at_the_machine(model, scaler, "cpu", dtype)
