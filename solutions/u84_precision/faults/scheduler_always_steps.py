"""Steps the scheduler also when the step was left out.

check = "8.4.k/step_left_out_leaves_everything"
stage = "torch"
says = "The learning rate moved although the step was left out. Step the scheduler only if the optimizer was."
also = ["8.4.k/bad_step_with_a_disabled_scaler", "8.4.k/every_group_is_held"]
"""

_careful_step = amp_step


def amp_step(model, optimizer, scaler, *arguments, scheduler=None, **named):
    result = _careful_step(model, optimizer, scaler, *arguments, **named)
    if scheduler is not None:
        scheduler.step()
    return result
