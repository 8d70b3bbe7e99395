"""Runs the step once to warm up and once to count.

check = "8.9.m/one_quiet_run_of_the_step"
stage = "torch"
says = "The step ran twice. It trains: a second run moves weights, batches and random numbers on, for a count that a single run gives."
"""

_single_run_reconcile = reconcile_flops


def reconcile_flops(step, hand):
    step()
    return _single_run_reconcile(step, hand)
