"""Allows everything but +inf in masks."""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = ~np.isfinite(values)
        if name in allow:
            bad &= values == np.inf
        if not np.any(bad):
            continue
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
