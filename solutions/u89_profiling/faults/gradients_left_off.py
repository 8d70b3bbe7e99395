"""Switches gradients off after the step and leaves them off.

check = "8.9.j/times_by_the_clock"
stage = "torch"
says = "Gradients are still off after the step. A setting of the process is changed inside a with block, which puts it back."
# the setting is looked at after every call, and the loop makes annotated steps
also = [
    "8.9.j/one_range_a_phase",
    "8.9.j/the_step_is_timed_as_a_whole",
    "8.9.k/the_wait_is_outside_the_step",
    "8.9.k/only_active_steps_count",
    "8.9.k/a_trace_for_each_window",
    "8.9.k/no_debugging_tool_is_on",
    "8.9.k/each_iteration_waits_for_one_batch",
    "8.9.k/the_slowest_phase_by_its_median",
    "8.9.k/the_residual_is_what_is_left",
    "8.9.k/a_loader_that_breaks",
]
"""

_tidy_step = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    with torch.enable_grad():
        loss, seconds = _tidy_step(trainer, batch, clock)
    torch.set_grad_enabled(False)
    return loss, seconds
