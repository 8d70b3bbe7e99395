"""Returns a whole number as a float."""

_rf = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    return float(_rf(layers, batch, width, itemsize))
