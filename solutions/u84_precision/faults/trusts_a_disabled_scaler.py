"""Leaves it to a disabled scaler to leave the step out.

check = "8.4.k/bad_step_with_a_disabled_scaler"
stage = "torch"
says = "A disabled scaler steps the optimizer whatever the gradients are. Look at them yourself before its step."
also = ["8.4.k/every_group_is_held"]
"""

_looking_amp_step = amp_step


def amp_step(model, optimizer, scaler, *arguments, scheduler=None, **named):
    result = _looking_amp_step(model, optimizer, scaler, *arguments, scheduler=scheduler, **named)
    if not scaler.is_enabled() and not result["stepped"]:
        scaler.step(optimizer)
        if scheduler is not None:
            scheduler.step()
        result["stepped"] = True
    return result
