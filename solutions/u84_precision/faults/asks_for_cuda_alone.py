"""Looks for CUDA and for no other device.

check = "8.4.m/device_that_is_not_there"
stage = "torch"
says = "A device that is not here was let through. There are others than CUDA: ask the machine which accelerator it has."
"""

_asks_the_machine = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    kind = torch.device(device).type
    return _asks_the_machine(model, scaler, "cpu" if kind != "cuda" else device, dtype)
