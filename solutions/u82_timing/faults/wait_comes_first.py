"""Lets a host's op wait before it does its own work.

check = "8.2.b/buffers_of_the_host"
stage = "numpy"
says = "A download was read in the op that waits for it. An op's own work comes before its wait: read in the next one."
also = [
  "8.2.b/random_programs_and_all_their_races",
]
"""

_fair_races = races


def races(ops):
    split = []
    for op in ops:
        if op["stream"] is None and len(op.get("waits", [])):
            split.append({"name": (op["name"], "wait"), "stream": None, "waits": op["waits"]})
            op = {**op, "waits": []}
        split.append(op)
    return _fair_races(split)
