"""Lets the host wait for the ops in `after` before it hands the work over.

check = "8.2.a/streams_wait_for_each_other_and_the_host_does_not"
stage = "numpy"
says = "The host waited for the ops in `after`. wait_event is an order to the stream: the device waits, and the host goes on."
also = [
  "8.2.a/random_programs_against_a_scheduler",
]
"""


def simulate(ops, sync=1):
    waiting = []
    for number, op in enumerate(ops):
        if len(op.get("after", [])):
            pause = {"name": (number, "pause"), "stream": None, "waits": op["after"]}
            waiting.append(pause)
        waiting.append(op)
    run = _run(waiting, 0) if sync == 0 else _run(waiting, sync)
    for name in [name for name in run["ops"] if isinstance(name, tuple)]:
        del run["ops"][name]
    return run
