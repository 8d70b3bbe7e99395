"""Takes an element for four bytes.

check = "8.1.h/sizes_and_refusals"
stage = "torch"
says = "Four bytes an element were counted whatever `itemsize` says."
"""

_sized_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    _sized_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
    return _sized_predict_saved_bytes(widths, batch, frozen, input_grad, activation)
