"""Names a payer even where the device finished while the host waited.

check = "mini-project.b/the_text_names_the_sync"
stage = "torch"
says = "A payer was named although no phase became longer: the work ended while the host waited for data."
"""


_careful = moved_time


def moved_time(honest, other):
    found = _careful(honest, other)
    paid = found["paid_by"] or "data_wait"
    return {**found, "paid_by": paid, "says": found["says"].replace("nothing", paid)}
