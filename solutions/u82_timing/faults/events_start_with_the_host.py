"""Reads the first event when the host records it, not when the device reaches it.

check = "8.2.c/what_events_print"
stage = "numpy"
says = "The events printed the older work, too. A mark is reached only when everything before it in its stream has ended."
"""

_fair_measured = measured


def measured(before, region, policy, sync=1):
    if policy != "events":
        return _fair_measured(before, region, policy, sync)
    _fair_measured(before, region, policy, sync)
    begin, end = _run(before, sync)["host"], _run([*before, *region], sync)
    ends = [row["end"] for name, row in end["ops"].items() if name in {o["name"] for o in region}]
    return max(end["host"], *(value for value in ends if value is not None)) - begin
