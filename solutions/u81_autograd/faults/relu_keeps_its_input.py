"""Counts input and output of each ReLU.

check = "8.1.h/relu_layers_keep_one_tensor"
stage = "torch"
says = "Two tensors were counted for each hidden layer. ReLU keeps its output, which the next Linear keeps as well: one storage."
also = [
  "8.1.h/formula_against_live_mlps",
  "8.1.h/frozen_layers",
  "8.1.h/input_that_needs_its_gradient",
  "8.1.h/sizes_and_refusals",
]
"""

_lean_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    _lean_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    return _lean_predict_saved_bytes(widths, batch, frozen, input_grad, "gelu", itemsize)
