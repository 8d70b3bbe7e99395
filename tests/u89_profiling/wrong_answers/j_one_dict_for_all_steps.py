"""Returns the same dict at every call: a list of the seconds of many steps holds the last step many times."""

_own_dict = annotated_step
_SECONDS = {}


def annotated_step(trainer, batch, clock=time.perf_counter):
    loss, s = _own_dict(trainer, batch, clock)
    _SECONDS.update(s)
    return loss, _SECONDS
