"""Hands autocast the device as it came: it takes text alone."""

_j_any_device = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    if not isinstance(device, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device)}`")
    return _j_any_device(model, x, y, device, dtype)
