"""Tells frozen parameters in a half as well.

check = "8.4.m/configurations_that_are_sound"
stage = "torch"
says = "A frozen layer was told. It gets no update that could be lost: look at the parameters that are trained."
"""

_trained_alone = check_amp_config


def check_amp_config(model, scaler, device="cpu", dtype=torch.float16):
    found = _trained_alone(model, scaler, device, dtype)
    low = any(p.dtype in HALVES for p in model.parameters())
    return (
        found
        if not low or found[-1:] == ["low_precision_parameters"]
        else [*found, "low_precision_parameters"]
    )
