"""Takes the end of the work before a mark for the moment the mark is reached.

check = "8.2.c/what_events_print"
stage = "numpy"
says = "A mark was reached before the host had put it there. It is reached at the later of two moments: the host put it there, and the work before it in its stream has ended."
"""


def _mark(run, ops, streams):
    ends = [run["ops"][op["name"]]["end"] for op in ops if op["stream"] in streams]
    return max(ends, default=run["host"])
