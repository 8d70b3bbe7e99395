"""Waits for the last of several ops in `waits` alone.

check = "8.2.a/random_programs_against_a_scheduler"
stage = "numpy"
says = "The host went on before all ops in `waits` had ended. It waits for the latest of them, which need not be the last in the list."
"""


def simulate(ops, sync=1):
    return _run(
        [
            {**op, "waits": list(op["waits"])[-1:]}
            if len(op.get("waits", [])) and op["waits"] != "all"
            else op
            for op in ops
        ],
        sync,
    )
