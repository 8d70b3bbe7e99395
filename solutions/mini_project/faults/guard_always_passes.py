"""Is satisfied with any run that trains without an error.

check = "mini-project.i/the_guard_fails_on_the_fault_alone"
stage = "torch"
says = "The guard passes on a run that has the fault. Look at what the fault changes."
"""


def guard(make_trainer):
    run = make_trainer(0)
    loss = run.step(next(run.stream()))
    assert _finite(loss), "the loss is not finite"
