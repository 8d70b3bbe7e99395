"""Is content with a scaler that is disabled.

check = "8.4.m/scaler_that_is_not_on"
stage = "torch"
says = "There is a scaler, but it is disabled: torch.amp.GradScaler() means CUDA and switches itself off without. Ask is_enabled()."
"""

_enabled_ones = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    found = _enabled_ones(model, scaler, device, dtype)
    return found if scaler is None else [word for word in found if word != "no_scaler"]
