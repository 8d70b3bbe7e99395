"""Returns a tuple of words."""

_true = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    return tuple(_true(model, scaler, device, dtype))
