"""Times steps under anomaly detection.

check = "8.9.k/no_debugging_tool_is_on"
stage = "torch"
says = "Anomaly detection is on. It records a stack for every operator and checks every gradient: switch it off before you time anything."
"""

_clean_profile_steps = profile_steps


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    with torch.autograd.set_detect_anomaly(True):
        return _clean_profile_steps(trainer, loader, plan, trace_dir, clock)
