"""Lets an op that waits for everything wait for the ops before it, and not for itself.

check = "8.2.b/random_programs_and_all_their_races"
stage = "numpy"
says = "An op that waits for everything was not over for what follows. Everything includes the op itself."
"""

_fair_races = races


def races(ops):
    _fair_races(ops)
    changed, before = [], []
    for op in ops:
        changed.append({**op, "waits": list(before)} if op.get("waits") == "all" else op)
        before += [op["name"]] if op["stream"] is not None else []
    return _fair_races(changed)
