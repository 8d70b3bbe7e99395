"""Skips the arrays that may hold -inf.

check = "8.5.e/allowed_masks"
stage = "numpy"
says = "A mask may write -inf and nothing else: NaN and +inf are bad there, too."
"""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = ~np.isfinite(values)
        if name in allow:
            continue
        if not np.any(bad):
            continue
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
