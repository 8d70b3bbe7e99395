"""Counts the output of the last Linear as hidden."""

_original = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    result = _original(widths, batch, frozen, input_grad, activation, itemsize)
    return {**result, "hidden": [*result["hidden"], 0]}
