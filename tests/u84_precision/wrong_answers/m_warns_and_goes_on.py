"""Tries autocast out and lets its warning through."""

_true = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
        return _true(model, scaler, device, dtype)
