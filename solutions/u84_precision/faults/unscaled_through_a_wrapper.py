"""Unscales through a wrapper around the optimizer that is stepped.

check = "8.4.k/clipped_step_has_its_true_length"
stage = "torch"
says = "The gradients were divided by the scale twice: the scaler keeps its books by the optimizer object, and a wrapper is another one. Unscale the object that you step."
source = "huggingface/accelerate#113"
also = ["8.4.k/step_is_that_of_float64", "8.4.k/unscaled_once_and_updated_once", "8.4.k/norm_of_what_the_optimizer_holds", "8.4.k/every_group_is_held", "8.4.k/large_gradients_are_finite"]
"""


class _Wrapper:
    """An optimizer in other clothes."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def __getattr__(self, name):
        return getattr(self._optimizer, name)


_same_object = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    class Scaler:
        def __getattr__(self, name):
            return getattr(scaler, name)

        def unscale_(self, held):
            return scaler.unscale_(_Wrapper(held))

    return _same_object(model, optimizer, Scaler(), *arguments, **named)
