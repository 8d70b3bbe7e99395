"""Looks at the dtype of the first parameter.

check = "8.4.m/parameters_without_master_copy"
stage = "torch"
says = "A parameter in a half further down was not told. Look at every parameter."
"""

_looks_at_all = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    found = _looks_at_all(model, scaler, device, dtype)
    if next(model.parameters()).dtype in HALVES:
        return found
    return [word for word in found if word != "low_precision_parameters"]
