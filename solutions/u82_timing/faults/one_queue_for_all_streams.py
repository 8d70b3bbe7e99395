"""Runs all streams as one queue.

check = "8.2.a/streams_wait_for_each_other_and_the_host_does_not"
stage = "numpy"
says = "Work in different streams ran one after another. Each stream has its own moment at which it is free."
also = [
  "8.2.a/what_a_wait_costs_the_host",
  "8.2.a/random_programs_against_a_scheduler",
]
"""


def simulate(ops, sync=1):
    return _run([op if op["stream"] is None else {**op, "stream": "all"} for op in ops], sync)
