"""Saves what it should, and reads the arguments instead.

check = "8.1.a/linear_gradients"
stage = "numpy"
says = "The gradients were computed from the arguments that the forward was handed, which the pullback still holds. It must read what was saved."
also = [
  "8.1.a/linear_saves_only_what_is_needed",
  "8.1.a/linear_views_and_edges",
]
"""

_reading_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _reading_linear_vjp(x, W, b, needs)
    arguments = ((W,) if needs[0] else ()) + ((x,) if needs[1] else ())
    return y, saved, lambda saved, g: pull(arguments, g)
