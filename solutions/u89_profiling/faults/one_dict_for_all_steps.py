"""Returns the same dict at every call.

check = "8.9.j/times_by_the_clock"
stage = "torch"
says = "Every step returns the same dict, so that a list of many steps holds the last one many times. Make a new one in each call."
"""

_own_dict_step = annotated_step
_LAST = {}


def annotated_step(trainer, batch, clock=time.perf_counter):
    loss, seconds = _own_dict_step(trainer, batch, clock)
    _LAST.update(seconds)
    return loss, _LAST
