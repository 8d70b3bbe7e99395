"""Pulls the batch inside the timed forward.

check = "8.9.k/the_wait_is_outside_the_step"
stage = "torch"
says = "The wait for data is part of the forward here: a starved loop looks compute-bound, and the model gets optimized for nothing."
# its table has a row for the wait too
also = ["8.9.k/only_active_steps_count", "8.9.k/each_iteration_waits_for_one_batch", "8.9.k/the_slowest_phase_by_its_median", "8.9.k/the_residual_is_what_is_left"]
source = "facebookresearch/unbiased-teacher#23"
"""

_waiting_profile_steps = profile_steps


class _Lazy:
    """A trainer that fetches when it needs the batch."""

    def __init__(self, trainer, loader):
        self.trainer, self.loader, self.iterator = trainer, loader, None
        self.backward, self.update = trainer.backward, trainer.update

    def fetch(self, iterator):
        if not hasattr(self, "first"):
            self.first = _fetch(self.trainer, self.loader, None)
        return None

    def transfer(self, batch):
        return None, None

    def forward(self, x, y):
        batch, self.iterator = _fetch(self.trainer, self.loader, self.iterator)
        return self.trainer.forward(*self.trainer.transfer(batch))


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    return _waiting_profile_steps(_Lazy(trainer, loader), loader, plan, trace_dir, clock)
