"""Takes the loss after some steps for the measurement.

check = "mini-project.h/the_measurement_separates"
stage = "torch"
also = ["mini-project.h/the_numbers_of_the_postmortem_are_measured", "mini-project.i/the_guard_fails_on_the_fault_alone"]
says = "This is the loss after some steps. Four of the five faults do not move it."
"""


def discriminate(make_trainer):
    run = make_trainer(0)
    stream = run.stream()
    for _ in range(10):
        loss = run.step(next(stream))
    return float(loss) / run.loss_weight
