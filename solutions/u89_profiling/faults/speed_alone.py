"""Returns the verdict on the speed, whatever the step computes.

check = "8.9.o/a_skipped_backward_is_rejected"
stage = "torch"
says = "Only the speed was looked at. A step that leaves work out is always faster."
# it looks at no part at all
also = [
    "8.9.o/nothing_agrees_by_accident",
    "8.9.o/each_gradient_by_name_and_value",
    "8.9.o/resumed_bit_for_bit_in_another_process",
    "8.9.o/changed_outputs_are_rejected",
    "8.9.o/a_step_unlike_its_phases_is_rejected",
    "8.9.o/learning_controls_decide",
    "8.9.o/a_run_that_does_not_resume_is_rejected",
    "8.9.o/resumed_for_as_many_steps",
    "8.9.o/each_loss_of_the_run",
]
"""

_every_part = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    report = _every_part(base, new, samples, controls, steps=steps, rtol=rtol, seed=seed)
    report["failed"] = [
        name
        for name in report["failed"]
        if name not in ["outputs", "gradients", "losses", "controls", "resume"]
    ]
    report["verdict"] = "reject" if report["failed"] else report["speed"]["verdict"]
    return report
