"""NumPy scalars and tuples of shapes."""

import numpy as np

_reference_l = operator_table


def operator_table(prof, by_shape=False):
    return tuple(
        {
            **r,
            "count": np.int64(r["count"]),
            "self_us": np.float64(r["self_us"]),
            "total_us": np.float64(r["total_us"]),
            "shapes": None if r["shapes"] is None else tuple(map(tuple, r["shapes"])),
            "device_us": 0.0 if not r["device_us"] else r["device_us"],
        }
        for r in _reference_l(prof, by_shape)
    )
