"""Asks of widths only that they are at least 1."""

_f_counted = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    def whole(n):
        return int(n) if isinstance(n, int | float) and 1 <= n < math.inf else n

    layers = [
        layer if isinstance(layer, str) else [layer[0], *map(whole, layer[1:])] for layer in layers
    ]
    return _f_counted(layers, batch, whole(width), itemsize)
