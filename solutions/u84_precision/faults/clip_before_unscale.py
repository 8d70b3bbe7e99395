"""Clips the gradients while they still carry the loss scale.

check = "8.4.k/clipped_step_has_its_true_length"
stage = "torch"
says = "This is what clipping before unscale_ gives: the threshold is compared with a norm that is too large by the scale. Unscale first."
source = "pytorch/examples#1196"
also = ["8.4.k/step_is_that_of_float64", "8.4.k/unscaled_once_and_updated_once", "8.4.k/norm_of_what_the_optimizer_holds", "8.4.k/where_autocast_is_on", "8.4.k/disabled_scaler_for_bfloat16", "8.4.k/step_left_out_leaves_everything", "8.4.k/every_group_is_held"]
"""


class _Late:
    """A scaler that unscales only when it steps."""

    def __init__(self, scaler):
        self._scaler = scaler

    def __getattr__(self, name):
        return getattr(self._scaler, name)

    def unscale_(self, optimizer):
        return None


_early_amp_step = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    return _early_amp_step(model, optimizer, _Late(scaler), *arguments, **named)
