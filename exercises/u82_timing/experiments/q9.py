"""A model of a copy engine that starts whenever it likes, and a host that refills at once."""

import random

for waits in (False, True):
    arrived = set()
    for seed in range(100):
        pinned, starts = "old", random.Random(seed).random()  # the copy starts at some moment
        refilled = max(0.5, starts) if waits else 0.5  # the host refills, after a wait or not
        arrived.add("old" if starts <= refilled else "new")
    print(f"the host waits for the copy: {waits!s:5}  what arrived in 100 runs: {sorted(arrived)}")
print("No error is raised in any run: nobody looks.")
