"""Takes an unknown optimizer for one with two states.

check = "8.3.h/steps_that_cannot_be"
stage = "numpy"
says = "An optimizer that the function does not know was given bytes. Its states are anybody's guess: refuse it."
"""

_strict_predict_phases = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    known = optimizer if optimizer in STATES else "adamw"
    return _strict_predict_phases(widths, batch, known, foreach, set_to_none)
