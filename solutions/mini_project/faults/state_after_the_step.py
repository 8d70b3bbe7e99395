"""Captures the state after the step that turned invalid.

check = "mini-project.e/the_first_invalid_value_is_found"
stage = "torch"
says = "The capture does not show the invalid value again. Copy the state before the step changes it."
"""


def first_invalid(trainer, batches, steps):
    for step in range(steps):
        batch = next(batches)
        where = _first_invalid(trainer, batch, trainer.step)
        if where is not None:
            for parameter in trainer.model.parameters():
                parameter.data.nan_to_num_(0.0, 0.0, 0.0)
            return {"step": step, "module": where, "batch": batch, "state": trainer.state_dict()}
    return None
