"""Tests for null first: a certain gain of 3 % is called null."""

_in_order = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _in_order(a, b, seed)
    if len(a) >= 20 and r["low"] >= 1 / 1.05 and r["high"] <= 1.05:
        r["verdict"] = "null"
    return r
