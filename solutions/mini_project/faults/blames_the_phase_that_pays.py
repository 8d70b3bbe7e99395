"""Takes the phase that became longer for the one without a sync.

check = "mini-project.b/the_text_names_the_sync"
stage = "torch"
says = "This names the phase that pays. Work is charged to whoever waits for it, not to whoever launched it."
"""


_right_way = moved_time


def moved_time(honest, other):
    found = _right_way(honest, other)
    paid, missing = found["missing_after"], found["paid_by"] or "data_wait"
    says = f"without a sync after {missing} its work is still running, and {paid} pays for it"
    return {"missing_after": missing, "paid_by": paid, "says": says}
