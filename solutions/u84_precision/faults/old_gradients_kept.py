"""Adds to the gradients that are there.

check = "8.4.k/step_is_that_of_float64"
stage = "torch"
says = "Old gradients were added to: drop them before the first micro-batch."
also = ["8.4.k/clipped_step_has_its_true_length", "8.4.k/step_left_out_leaves_everything", "8.4.k/scale_is_adjusted_in_every_step", "8.4.k/unscaled_once_and_updated_once", "8.4.k/norm_of_what_the_optimizer_holds", "8.4.k/where_autocast_is_on", "8.4.k/disabled_scaler_for_bfloat16", "8.4.k/bad_step_with_a_disabled_scaler", "8.4.k/parameter_without_a_gradient_stays"]
"""

_dropping_step = amp_step


def amp_step(model, optimizer, *arguments, **named):
    zero_grad, optimizer.zero_grad = optimizer.zero_grad, lambda set_to_none=True: None
    try:
        return _dropping_step(model, optimizer, *arguments, **named)
    finally:
        optimizer.zero_grad = zero_grad
