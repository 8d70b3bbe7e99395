"""Steps the optimizer itself, past the scaler.

check = "8.4.k/step_left_out_leaves_everything"
stage = "torch"
says = "The optimizer took a step with gradients that are not finite. Let the scaler step it: it leaves such a step out."
also = ["8.4.k/scale_is_adjusted_in_every_step", "8.4.k/unscaled_once_and_updated_once", "8.4.k/scale_under_the_floor", "8.4.k/every_group_is_held"]
"""

_scaler_steps = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    class Scaler:
        def __getattr__(self, name):
            return getattr(scaler, name)

        def step(self, held):
            held.step()

    return _scaler_steps(model, optimizer, Scaler(), *arguments, **named)
