"""Fails if the folder for the traces is there.

check = "8.9.k/a_trace_for_each_window"
stage = "torch"
says = "The folder for the traces was there already, and making it again failed. The second run into the same folder is the usual one."
"""

_any_folder_steps = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if trace_dir is not None and Path(trace_dir).exists():
        raise FileExistsError("the folder for the traces is there already")
    return _any_folder_steps(trainer, loader, plan, trace_dir, clock)
