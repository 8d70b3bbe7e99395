"""Starts the work of a phase at once, beside what is still queued.

check = "8.9.i/host_times_of_an_asynchronous_device"
stage = "numpy"
says = "The work started although earlier work was still running. One stream keeps its order: a synchronisation waits for everything before it."
# a sync after queued work is the subject of both
# the checks of many cases have this one among them
also = ["8.9.i/two_tables_that_differ_in_one_sync", "8.9.i/every_table_of_a_host_clock"]
"""

_in_order = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    table = _in_order(phases, sync_after, steps)
    for phase in phases:
        waits = phase["blocking"] or phase["name"] in sync_after
        table["host"][phase["name"]] = phase["launch"] + (phase["device"] if waits else 0)
    table["blamed"] = max(table["host"], key=table["host"].get)
    return table
