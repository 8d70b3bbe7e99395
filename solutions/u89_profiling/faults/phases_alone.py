"""Compares one forward and backward but no run of steps.

check = "8.9.o/a_step_unlike_its_phases_is_rejected"
stage = "torch"
says = "Only forward and backward were compared. What a trainer does in step, such as leaving out updates, shows in the losses of a run."
# another check looks at the same part
also = ["8.9.o/nothing_agrees_by_accident", "8.9.o/each_loss_of_the_run"]
"""

_every_part = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    report = _every_part(base, new, samples, controls, steps=steps, rtol=rtol, seed=seed)
    report["failed"] = [name for name in report["failed"] if name not in ["losses"]]
    report["verdict"] = "reject" if report["failed"] else report["speed"]["verdict"]
    return report
