"""Takes the excluded terms out of the dict it was given.

check = "8.9.m/one_quiet_run_of_the_step"
stage = "torch"
says = "The hand count lost terms: it belongs to the caller, who will use it again. Change a copy."
"""

_careful_reconcile = reconcile_flops


def reconcile_flops(step, hand):
    report = _careful_reconcile(step, hand)
    for name in report["excluded"]:
        del hand[name]
    return report
