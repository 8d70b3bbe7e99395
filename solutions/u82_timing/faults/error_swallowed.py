"""Catches what the function raises.

check = "8.2.j/an_error_goes_on_and_leaves_nothing_behind"
stage = "torch"
says = "An error of the function was swallowed. Whoever watches should not change what happens."
"""

_fair_syncs = host_syncs


def host_syncs(fn):
    def quiet():
        try:
            fn()
        except Exception as error:
            del error

    return _fair_syncs(quiet)
