"""Asks for a scaler in bfloat16 as well."""

_true = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    found = _true(model, scaler, device, dtype)
    return [*found, "no_scaler"] if dtype == torch.bfloat16 and scaler is None else found
