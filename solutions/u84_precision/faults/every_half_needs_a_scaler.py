"""Refuses bfloat16 with a disabled scaler, too.

check = "8.4.k/disabled_scaler_for_bfloat16"
stage = "torch"
says = "bfloat16 was refused for want of a scaler. Its exponents are those of float32: a disabled scaler is right."
also = ["8.4.k/clipped_step_has_its_true_length", "8.4.k/where_autocast_is_on", "8.4.k/bad_step_with_a_disabled_scaler", "8.4.k/every_group_is_held", "8.4.k/large_gradients_are_finite"]
"""

_bfloat16_goes = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    if not scaler.is_enabled():
        raise ValueError("a scaler is needed")
    return _bfloat16_goes(model, optimizer, scaler, *arguments, **named)
