"""Reports the first step, before any work is left over.

check = "8.9.i/two_tables_that_differ_in_one_sync"
stage = "numpy"
says = "These are the times of the first step, when nothing was queued yet. In the steps that follow, the first blocking call pays for what is left over."
# the checks of many cases have this one among them
also = ["8.9.i/every_table_of_a_host_clock"]
"""

_last_step = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    _last_step(phases, sync_after, steps)
    return _last_step(phases, sync_after, 1)
