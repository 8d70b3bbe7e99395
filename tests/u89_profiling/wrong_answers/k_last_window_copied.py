"""Has a file for each window, but all of them are the last one."""

import shutil

_one_each = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _one_each(trainer, loader, plan, trace_dir, clock)
    for path in table["traces"][:-1]:
        shutil.copy(table["traces"][-1], path)
    return table
