"""Switches the scaler off, so that small gradients underflow.

check = "mini-project.g/the_optimizer_gets_the_true_gradients"
stage = "torch"
also = ["mini-project.h/the_measurement_separates", "mini-project.h/the_numbers_of_the_postmortem_are_measured"]
says = "Most entries of the gradients are 0 and the others far off: fp16 without a scaler."
"""


_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    run.scaler = torch.amp.GradScaler("cpu", enabled=False)
    return run
