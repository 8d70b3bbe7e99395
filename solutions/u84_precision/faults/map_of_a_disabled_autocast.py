"""Maps a run whose autocast has disabled itself.

check = "8.4.j/absent_device_is_refused"
stage = "torch"
says = "Autocast disabled itself with a warning, and the map is that of a float32 run. Ask whether the device is there, and refuse."
"""

_refusing_map = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    try:
        return _refusing_map(model, x, y, device, dtype)
    except ValueError:
        return _refusing_map(model, x, y, "cpu", torch.bfloat16)
