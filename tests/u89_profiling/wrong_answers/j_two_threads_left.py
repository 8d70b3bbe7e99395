"""Leaves another number of threads behind."""

_as_it_was = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    torch.set_num_threads(torch.get_num_threads() + 1)
    return _as_it_was(trainer, batch, clock)
