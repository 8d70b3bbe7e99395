"""Returns a whole number of bytes a step, and the readings as a tuple."""

_rm = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    found = _rm(step, meter, steps, warmup)
    return {**found, "live": tuple(found["live"]), "bytes_per_step": round(found["bytes_per_step"])}
