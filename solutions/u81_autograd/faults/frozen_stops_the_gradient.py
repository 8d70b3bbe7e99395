"""Lets a frozen layer stop the gradient for all before it.

check = "8.1.h/frozen_layers"
stage = "torch"
says = "A frozen layer was taken for the end of the gradient's way. It passes gradients on; only what lies before the first trained layer needs none."
also = [
  "8.1.h/formula_against_live_mlps",
]
"""

_passing_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    answer = _passing_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    if activation == "relu" and not input_grad:
        hidden = [
            0 if layer in frozen and layer - 1 in frozen else size
            for layer, size in enumerate(answer["hidden"], 1)
        ]
        answer = {**answer, "hidden": hidden, "total": answer["input"] + sum(hidden)}
    return answer
