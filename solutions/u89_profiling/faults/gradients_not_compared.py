"""Compares outputs but no gradients.

check = "8.9.o/a_skipped_backward_is_rejected"
stage = "torch"
says = "The gradients were not compared. A step that skips the backward of a layer has the right outputs and trains another model."
# another check looks at the same part
also = ["8.9.o/nothing_agrees_by_accident", "8.9.o/each_gradient_by_name_and_value"]
"""

_every_part = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    report = _every_part(base, new, samples, controls, steps=steps, rtol=rtol, seed=seed)
    report["failed"] = [name for name in report["failed"] if name not in ["gradients"]]
    report["verdict"] = "reject" if report["failed"] else report["speed"]["verdict"]
    return report
