"""Reads without collecting garbage.

check = "8.3.n/growth_that_is_no_leak"
stage = "torch"
says = "Something that waits for Python's garbage collector was called a leak. Collect before each reading."
"""


def find_leak(step, meter, steps=4, warmup=2):
    if steps < 1 or warmup < 0:
        raise ValueError(f"{steps} steps after {warmup} show nothing")
    gc.disable()
    live, graphs = [], []
    with meter:
        for number in range(warmup + steps + 1):
            if number >= warmup:
                live.append(meter.live)
                graphs.append(_graph_holders())
            if number < warmup + steps:
                step()
        peak = meter.peak
    gc.enable()
    if None in live or not (any(live) or peak):
        raise RuntimeError(f"nothing was measured: {live}")
    leaks = _rises(live)
    return {
        "leaks": leaks,
        "live": live,
        "bytes_per_step": (live[-1] - live[0]) / steps if leaks else 0,
        "kind": ("graph" if _rises(graphs) else "data") if leaks else None,
    }
