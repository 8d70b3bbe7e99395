"""Counts the input when its gradient is needed.

check = "8.1.h/input_that_needs_its_gradient"
stage = "torch"
says = "The input was counted because it needs a gradient. That gradient contains the weight; the input is in the gradient of the weight."
also = [
  "8.1.h/formula_against_live_mlps",
]
"""

_input_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    answer = _input_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    first = batch * widths[0] * itemsize if input_grad else answer["input"]
    return {**answer, "input": first, "total": first + sum(answer["hidden"])}
