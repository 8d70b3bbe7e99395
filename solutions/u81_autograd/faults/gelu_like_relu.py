"""Counts GELU as if it kept its output.

check = "8.1.h/gelu_keeps_its_input"
stage = "torch"
says = "GELU was counted like ReLU. Its derivative cannot be had from the output, so that it keeps its input."
also = [
  "8.1.h/formula_against_live_mlps",
]
"""

_apart_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    _apart_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    return _apart_predict_saved_bytes(widths, batch, frozen, input_grad, "relu", itemsize)
