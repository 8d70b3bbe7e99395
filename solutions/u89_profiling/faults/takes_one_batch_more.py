"""Takes one batch more than it was asked for, and drops it.

check = "8.9.n/one_pass_and_no_batch_more"
stage = "torch"
says = "One batch more was taken than asked for: a loop that breaks at the top of its body has already waited for the next one."
"""

_limited_supply = loader_supply


def loader_supply(loader, batches=None, step_time=None, clock=time.perf_counter):
    iterator = iter(())

    class _Watched:
        def __iter__(self):
            nonlocal iterator
            iterator = iter(loader)
            return iterator

    result = _limited_supply(_Watched(), batches, step_time, clock)
    if batches is not None:
        next(iterator, None)
    return result
