"""Runs the step once to warm up and once to count."""

_once = reconcile_flops


def reconcile_flops(step, hand):
    step()
    return _once(step, hand)
