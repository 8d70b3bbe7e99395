"""Calls the growth of the last step the bytes of each."""

_n_average = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    found = _n_average(step, meter, steps, warmup)
    if found["leaks"]:
        found["bytes_per_step"] = found["live"][-1] - found["live"][-2]
    return found
