"""Lets the host wait until each op's work has ended.

check = "8.2.a/the_host_runs_ahead_of_a_stream"
stage = "numpy"
says = "The host waited for the work of every op. It pays the launch and goes on; only `waits` makes it wait."
also = [
  "8.2.a/streams_wait_for_each_other_and_the_host_does_not",
  "8.2.a/what_a_wait_costs_the_host",
  "8.2.a/random_programs_against_a_scheduler",
  "8.2.a/programs_with_little_in_them",
]
"""


def simulate(ops, sync=1):
    own = [
        {**op, "waits": [*(op.get("waits") or []), op["name"]]}
        if op["stream"] is not None and op.get("waits") != "all"
        else op
        for op in ops
    ]
    return _run(own, sync)
