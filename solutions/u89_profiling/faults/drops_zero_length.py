"""Leaves out events of zero length.

check = "8.9.a/threads_recursion_and_zero_length"
stage = "numpy"
says = "An event without length still happened: its name belongs in the table, with a count and no time."
"""

_counting_self_total = self_total


def self_total(events):
    return _counting_self_total([e for e in events if e["start"] != e["end"]])
