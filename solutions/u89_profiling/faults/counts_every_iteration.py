"""Counts waiting and warm-up iterations too.

check = "8.9.k/only_active_steps_count"
stage = "torch"
says = "All iterations are in the table. The schedule leaves the first ones of a window out because they are slower."
"""

_active_profile_steps = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if trace_dir is not None or plan["active"] < 1:
        return _active_profile_steps(trainer, loader, plan, trace_dir, clock)
    every = {"wait": 0, "warmup": 0, "active": sum(plan.values()) - plan["repeat"]}
    if min(plan.values()) < 0 or plan["repeat"] < 1:
        raise ValueError("nothing to measure")
    return _active_profile_steps(trainer, loader, {**every, "repeat": plan["repeat"]}, None, clock)
