"""Counts the output of the last layer in the total.

check = "8.1.h/relu_layers_keep_one_tensor"
stage = "torch"
says = "The output of the last layer was counted. No gradient formula of the mlp contains it."
also = [
  "8.1.h/formula_against_live_mlps",
  "8.1.h/frozen_layers",
  "8.1.h/input_that_needs_its_gradient",
  "8.1.h/gelu_keeps_its_input",
  "8.1.h/sizes_and_refusals",
]
"""

_no_output_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    answer = _no_output_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    return {**answer, "total": answer["total"] + batch * widths[-1] * itemsize}
