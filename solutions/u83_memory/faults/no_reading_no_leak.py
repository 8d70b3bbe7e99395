"""Takes a meter without readings for the absence of leaks.

check = "8.3.n/a_leak_is_not_measured_by_nothing"
stage = "torch"
says = "No leak was reported where nothing was measured. Zeros and None prove nothing."
"""

_sure_find_leak = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    try:
        return _sure_find_leak(step, meter, steps, warmup)
    except RuntimeError:
        return {"leaks": False, "live": [0] * (steps + 1), "bytes_per_step": 0, "kind": None}
