"""Measures on the model that was handed in.

check = "8.6.i/the_model_is_left_as_it_was"
stage = "torch"
says = "The model came back changed: a step was run on it, not on a copy."
"""


def _private(model, segments):
    model.zero_grad(set_to_none=True)
    return model, model if segments is None else _Segments(model, segments)
