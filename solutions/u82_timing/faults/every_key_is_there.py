"""Takes for granted that every op has a `launch` and a `device` time.

check = "8.2.a/programs_with_little_in_them"
stage = "numpy"
says = "An op without a key ended in an error. A missing `launch` or `device` is 0, a missing `after` or `waits` is empty."
"""


def simulate(ops, sync=1):
    for op in ops:
        op["launch"], op["device"]
    return _run(ops, sync)
