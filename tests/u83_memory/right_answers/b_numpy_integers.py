"""Returns integers of NumPy."""

import numpy as np

_rb = round_size


def round_size(nbytes):
    return np.uint64(_rb(nbytes))
