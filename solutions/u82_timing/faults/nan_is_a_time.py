"""Compares with 0 to find impossible times.

check = "8.2.a/programs_that_make_no_sense"
stage = "numpy"
says = "A time that is NaN or infinite was accepted. NaN fails every comparison, also the one that should refuse it."
"""


def simulate(ops, sync=1):
    if sync < 0 or any(op.get(key, 0) < 0 for op in ops for key in ("launch", "device")):
        raise ValueError("a time is negative")
    finite = [
        {
            **op,
            "launch": op["launch"] if math.isfinite(op.get("launch", 0)) else 0,
            "device": op["device"] if math.isfinite(op.get("device", 0)) else 0,
        }
        if "launch" in op and "device" in op
        else op
        for op in ops
    ]
    return _run(finite, sync if math.isfinite(sync) else 0)
