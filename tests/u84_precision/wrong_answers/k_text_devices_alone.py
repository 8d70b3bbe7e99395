"""Hands autocast the device as it came: it takes text alone."""

_k_any_device = amp_step


def amp_step(*arguments, device="cpu", **named):
    if not isinstance(device, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device)}`")
    return _k_any_device(*arguments, device=device, **named)
