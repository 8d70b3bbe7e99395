"""Compares gradients by position.

check = "8.9.o/each_gradient_by_name_and_value"
stage = "torch"
says = "The gradients were compared one after another, without their names. Parameters that changed places, or names, pass for the same."
"""

_named_gradients = _first_step


def _first_step(make, make_base, seed):
    outputs, gradients = _named_gradients(make, make_base, seed)
    return outputs, dict(enumerate(gradients.values()))
