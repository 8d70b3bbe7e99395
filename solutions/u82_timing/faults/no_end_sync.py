"""Leaves out the wait before the second reading of the honest timer.

check = "8.2.c/one_sync_moves_one_number"
stage = "numpy"
says = "The honest timer printed the launches. Wait before the second reading, so that the work has ended when the time ends."
also = [
  "8.2.c/what_the_timers_print",
  "8.2.c/timers_in_any_program",
  "8.2.c/live_operators",
]
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    return _fair_measured(before, region, "start_only" if policy == "honest" else policy, sync)
