"""Looks at the itemsize, and multiplies with the integer of NumPy that came in."""

_f_int = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    return _f_int(layers, batch, width, itemsize) // int(itemsize) * itemsize
