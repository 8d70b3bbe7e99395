"""Fails if the folder for the traces is there already."""

_any_folder = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if trace_dir is not None:
        Path(trace_dir).mkdir()
    return _any_folder(trainer, loader, plan, trace_dir, clock)
