"""Lets a wait for everything wait for the stream of the last op alone.

check = "8.2.a/what_a_wait_costs_the_host"
stage = "numpy"
says = "A wait for everything was over before the work of another stream had ended. It waits for all streams."
also = [
  "8.2.a/random_programs_against_a_scheduler",
]
"""


def simulate(ops, sync=1):
    changed, last = [], []
    for op in ops:
        if op["stream"] is not None:
            last = [op["name"]]
        changed.append({**op, "waits": last} if op.get("waits") == "all" and last else op)
    return _run(changed, sync)
