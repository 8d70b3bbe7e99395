"""Returns zeros for a plan without an active step.

check = "8.9.k/a_plan_that_measures_nothing"
stage = "torch"
says = "A plan without active steps gave a table of zeros. Nothing was measured, and zero is a number that looks like a result."
"""

_refusing_profile_steps = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    if plan["active"] < 1:
        zeros = {"p50": 0.0, "p90": 0.0, "share": 0.0}
        rows = {name: dict(zeros) for name in (*PHASES, "residual")}
        return {"steps": 0, "rows": rows, "slowest": "data_wait", "traces": []}
    return _refusing_profile_steps(trainer, loader, plan, trace_dir, clock)
