"""Returns integers of NumPy in its phases."""

import numpy as np

_rh = predict_phases


def predict_phases(widths, batch, optimizer="adamw", foreach=False, set_to_none=True):
    found = _rh(widths, batch, optimizer, foreach, set_to_none)
    for name in ("forward", "backward", "update"):
        found[name] = {key: np.int64(size) for key, size in found[name].items()}
    return found
