"""Clips all parameters of the model.

check = "8.4.k/norm_of_what_the_optimizer_holds"
stage = "torch"
says = "The norm has the gradients of parameters in it that the optimizer does not hold. Nobody has unscaled those: clip what the optimizer holds."
also = ["8.4.k/step_is_that_of_float64", "8.4.k/step_left_out_leaves_everything", "8.4.k/scale_is_adjusted_in_every_step", "8.4.k/bad_step_with_a_disabled_scaler"]
"""

_norm_of_the_held = _norm
_held_amp_step = amp_step


def amp_step(model, *arguments, **named):
    global _norm
    _norm = lambda _: _norm_of_the_held([p.grad for p in model.parameters() if p.grad is not None])
    try:
        return _held_amp_step(model, *arguments, **named)
    finally:
        _norm = _norm_of_the_held
