"""Takes batches from the iterator past the trainer.

check = "8.9.k/each_iteration_waits_for_one_batch"
stage = "torch"
says = "The batches did not come through trainer.fetch. A trainer that prefetches or counts there would be profiled without its own work."
"""

_fetch_by_the_trainer = _fetch


class _Next:
    """A trainer whose fetch is next."""

    def fetch(self, iterator):
        return next(iterator)


def _fetch(trainer, loader, iterator):
    return _fetch_by_the_trainer(_Next(), loader, iterator)
