"""Tells the first problem only."""

_true = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    return _true(model, scaler, device, dtype)[:1]
