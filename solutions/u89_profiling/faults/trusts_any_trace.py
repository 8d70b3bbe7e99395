"""Turns a trace whose ranges cross into numbers.

check = "8.9.a/malformed_trace"
stage = "numpy"
says = "Ranges that cross on one thread cannot come from nested calls, and NaN compares with nothing. Refuse them, or the numbers will look plausible."
# the checks of many cases have this one among them
also = ["8.9.a/every_impossible_trace"]
"""

_strict_self_total = self_total


def self_total(events):
    try:
        return _strict_self_total(events)
    except ValueError:
        return {e["name"]: {"self": 0, "total": 0, "count": 1} for e in events}
