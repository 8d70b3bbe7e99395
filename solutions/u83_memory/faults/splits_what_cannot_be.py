"""Splits sizes that are no multiple of the devices.

check = "8.3.g/layers_that_cannot_be_split"
stage = "numpy"
says = "A layer that cannot be split evenly was split. The remainder would have to lie somewhere."
"""

_even_layer = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    try:
        return _even_layer(s, b, h, a, **named)
    except ValueError:
        t = named.get("tensor_parallel", 1)
        if not isinstance(t, int) or t < 1 or h % t == 0:
            raise
        return _even_layer(s, b, h - h % t, a, **named)
