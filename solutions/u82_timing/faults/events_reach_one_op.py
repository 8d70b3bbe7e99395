"""Lets an event speak for one op, and not for what came before that op.

check = "8.2.b/an_order_by_way_of_others"
stage = "numpy"
says = "Two ops were reported although an op between them puts them in order. What comes for sure before the one in the middle comes for sure before the last."
also = [
  "8.2.b/a_buffer_that_is_used_again",
  "8.2.b/buffers_of_the_host",
  "8.2.b/random_programs_and_all_their_races",
]
"""

_fair_races = races


def races(ops):
    _fair_races(ops)
    found, waited = [], set()
    for place, op in enumerate(ops):
        for other in ops[:place]:
            sure = (
                other["stream"] is None
                or other["stream"] == op["stream"]
                or other["name"] in op.get("after", [])
                or other["name"] in waited
            )
            if not sure and _share(op, other):
                found.append([other["name"], op["name"]])
        waits = op.get("waits", [])
        names = [one["name"] for one in ops[: place + 1] if one["stream"] is not None]
        waited |= set(names if isinstance(waits, str) else waits)
    return found
