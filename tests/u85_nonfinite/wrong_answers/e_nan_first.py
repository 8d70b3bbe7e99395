"""Looks for a NaN in an array before it looks for an infinity."""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = ~np.isfinite(values)
        if name in allow:
            bad &= values != -np.inf
        if not np.any(bad):
            continue
        bad = np.isnan(values) if np.any(np.isnan(values)) else bad
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
