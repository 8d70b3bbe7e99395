"""Reports the scale after update.

check = "8.4.k/scale_is_adjusted_in_every_step"
stage = "torch"
says = "This is the scale of the next step. The gradients of this one were scaled with what it was before update."
"""

_scale_before = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    result = _scale_before(model, optimizer, scaler, *arguments, **named)
    return {**result, "scale": scaler.get_scale()}
