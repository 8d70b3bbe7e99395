"""Looks for NaN alone.

check = "8.5.e/first_bad_array"
stage = "numpy"
says = "The first bad value is often an infinity; the NaN comes later and names a victim. Use isfinite."
also = ["8.5.g/what_each_detector_sees", "8.5.g/live_detectors", "8.5.e/first_entry_of_an_array", "8.5.e/allowed_masks"]
"""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = np.isnan(values)
        if name in allow:
            bad &= values != -np.inf
        if not np.any(bad):
            continue
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
