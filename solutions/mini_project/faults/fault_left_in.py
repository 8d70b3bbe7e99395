"""Leaves the clipping where the gradients still carry the loss scale.

check = "mini-project.g/no_fault_is_left"
stage = "torch"
also = ["mini-project.h/the_measurement_separates", "mini-project.h/the_numbers_of_the_postmortem_are_measured", "mini-project.i/the_guard_fails_on_the_fault_alone"]
says = "This is what the trainer gives as it was handed out. No loss shows it: measure what each of the five faults must change."
"""


_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    unscale = run.scaler.unscale_

    def too_late(optimizer):
        longest = run.max_norm * run.loss_weight
        torch.nn.utils.clip_grad_norm_(run.model.parameters(), longest)
        unscale(optimizer)

    run.scaler.unscale_ = too_late
    return run
