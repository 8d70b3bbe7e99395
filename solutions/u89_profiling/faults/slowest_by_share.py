"""Calls the phase with the largest sum the slowest.

check = "8.9.k/the_slowest_phase_by_its_median"
stage = "torch"
says = "The slowest phase was chosen by its sum, which a single slow step decides. The p50 says what a usual step waits for."
"""

_slowest_by_median = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    table = _slowest_by_median(trainer, loader, plan, trace_dir, clock)
    slowest = max(PHASES, key=lambda name: table["rows"][name]["share"])
    return {**table, "slowest": slowest}
