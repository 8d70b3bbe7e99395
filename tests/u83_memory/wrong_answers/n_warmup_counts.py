"""Reads before the warm-up."""

_m_warm = find_leak


def find_leak(step, meter, steps=4, warmup=2):
    if warmup < 0 or steps < 1:
        raise ValueError
    found = _m_warm(step, meter, steps + warmup, 0)
    return {**found, "live": found["live"][warmup:]}
