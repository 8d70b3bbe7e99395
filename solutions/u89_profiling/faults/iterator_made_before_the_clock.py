"""Makes the first iterator before the clock is read.

check = "8.9.k/each_iteration_waits_for_one_batch"
stage = "torch"
says = "The first iterator was made outside the timed wait. Making it starts the workers, and the loop waits for that like for a batch."
"""

_timed_start_steps = profile_steps


class _Started:
    """A loader whose first iterator has been made."""

    def __init__(self, loader):
        self.loader, self.first = loader, iter(loader)

    def __iter__(self):
        first, self.first = self.first, None
        return iter(self.loader) if first is None else first


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    return _timed_start_steps(trainer, _Started(loader), plan, trace_dir, clock)
