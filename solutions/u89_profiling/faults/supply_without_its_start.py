"""Makes the iterator before the clock is read.

check = "8.9.n/one_pass_and_no_batch_more"
stage = "torch"
says = "The iterator was made before the clock was read. With workers that is most of the first wait."
"""

_started_supply = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    return _started_supply(iter(loader), batches, step_time, clock)
