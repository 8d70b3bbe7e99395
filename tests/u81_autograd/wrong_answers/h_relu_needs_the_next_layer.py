"""Saves the output of a ReLU only for the next Linear."""

_original = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    result = _original(widths, batch, frozen, input_grad, activation, itemsize)
    if activation == "relu":
        hidden = [0 if n in frozen else size for n, size in enumerate(result["hidden"], 1)]
        result = {**result, "hidden": hidden, "total": result["input"] + sum(hidden)}
    return result
