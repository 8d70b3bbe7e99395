"""Asks only whether a layer before a GELU is trained.

check = "8.1.h/formula_against_live_mlps"
stage = "torch"
says = "The input's own gradient was forgotten for GELU: an activation is reached from a trained layer before it or from an input that needs a gradient."
"""

_reached_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    forgets = input_grad and activation == "gelu"
    return _reached_predict_saved_bytes(
        widths, batch, frozen, input_grad and not forgets, activation, itemsize
    )
