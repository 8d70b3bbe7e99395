"""Exports every window to the same file.

check = "8.9.k/a_trace_for_each_window"
stage = "torch"
says = "Both windows went to the same file, so that the first is lost. Count the windows in the name."
"""

_numbered_profile_steps = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _numbered_profile_steps(trainer, loader, plan, trace_dir, clock)
    return {**table, "traces": table["traces"][-1:] * len(table["traces"])}
