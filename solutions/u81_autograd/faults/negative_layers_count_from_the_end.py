"""Accepts a frozen layer -1 as the last.

check = "8.1.h/sizes_and_refusals"
stage = "torch"
says = "A frozen layer that does not exist was accepted. Layers are counted from 0, and -1 is none of them."
"""

_existing_predict_saved_bytes = predict_saved_bytes


def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    layers = len(widths) - 1
    frozen = [layer + layers if -layers <= layer < 0 else layer for layer in frozen]
    return _existing_predict_saved_bytes(widths, batch, frozen, input_grad, activation, itemsize)
