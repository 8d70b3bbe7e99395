"""Leaves out the wait before the first reading of the honest timer.

check = "8.2.c/one_sync_moves_one_number"
stage = "numpy"
says = "The honest timer printed older work as well. Wait before the first reading, so that the queue is empty when the time begins."
also = [
  "8.2.c/what_the_timers_print",
  "8.2.c/timers_in_any_program",
  "8.2.c/live_operators",
]
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    return _fair_measured(before, region, "end_only" if policy == "honest" else policy, sync)
