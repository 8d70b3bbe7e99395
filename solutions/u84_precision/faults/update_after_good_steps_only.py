"""Updates the scaler only if the step was taken.

check = "8.4.k/scale_is_adjusted_in_every_step"
stage = "torch"
says = "After an overflow the scaler was not updated: the next step is refused and the scale never falls. Update it in every iteration."
source = "Azure/MS-AMP PR#45"
also = ["8.4.k/step_left_out_leaves_everything", "8.4.k/unscaled_once_and_updated_once", "8.4.k/scale_under_the_floor"]
"""

_always_updated = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    taken = []
    handle = optimizer.register_step_post_hook(lambda *_: taken.append(True))

    class Scaler:
        def __getattr__(self, name):
            return getattr(scaler, name)

        def update(self):
            if taken:
                scaler.update()

    try:
        return _always_updated(model, optimizer, Scaler(), *arguments, **named)
    finally:
        handle.remove()
