"""Counts the input whether or not the first layer is trained.

check = "8.1.h/frozen_layers"
stage = "torch"
says = "The input was counted although the first layer is frozen. It is in the gradient of that layer's weight alone."
also = [
  "8.1.h/formula_against_live_mlps",
]
"""

_dropping_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    answer = _dropping_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    first = 0 if input_grad else batch * widths[0] * itemsize
    first = max(first, answer["input"])
    if activation == "gelu":
        first = answer["input"]
    return {**answer, "input": first, "total": first + sum(answer["hidden"])}
