"""Repairs small gradients by giving up the weight of the loss.

check = "mini-project.g/it_trains_the_same"
stage = "torch"
also = ["mini-project.h/the_measurement_separates", "mini-project.h/the_numbers_of_the_postmortem_are_measured"]
says = "The loss lost its weight: the gradients are larger, and it is another objective."
"""


_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    run.loss_weight = 1.0
    return run
