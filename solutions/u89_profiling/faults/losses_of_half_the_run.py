"""Compares the losses of `steps` steps, not of twice as many.

check = "8.9.o/a_step_unlike_its_phases_is_rejected"
stage = "torch"
says = "Only the first half of the run was compared. What begins later, such as updates that are left out, is in the second half."
also = ["8.9.o/each_loss_of_the_run"]
"""

_whole_run = verify_optimization


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    report = _whole_run(base, new, samples, controls, steps=steps, rtol=rtol, seed=seed)
    half = _agree(_run(base, seed, steps)[0], _run(new, seed, steps)[0], rtol)
    failed = [name for name in report["failed"] if name != "losses" or not half]
    verdict = "reject" if failed else report["speed"]["verdict"]
    return {**report, "failed": failed, "verdict": verdict}
