"""Charges each phase its launch and its work, as if every phase were synchronised.

check = "8.9.i/host_times_of_an_asynchronous_device"
stage = "numpy"
says = "Each phase was charged its own work. The host does not wait for the device unless somebody asks it to: it pays the launch and goes on."
# tables without a sync are the subject of both
# the checks of many cases have this one among them
also = ["8.9.i/two_tables_that_differ_in_one_sync", "8.9.i/every_table_of_a_host_clock"]
"""

_asynchronous = host_clock_table


def host_clock_table(phases, sync_after=(), steps=3):
    _asynchronous(phases, sync_after, steps)
    return _asynchronous(phases, [phase["name"] for phase in phases], steps)
