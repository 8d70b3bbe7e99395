"""Multiplies in 32 bits, as integers of NumPy that are not turned into Python's do."""

import numpy as np

_g_wide = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    parts = _g_wide(s, b, h, a, **named)
    return {name: int(np.array(size).astype(np.int32)) for name, size in parts.items()}
