"""Asks whether the sum is finite.

check = "8.5.e/fine_traces"
stage = "numpy"
says = "The sum of finite values can overflow. Look at the entries."
"""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = ~np.isfinite(values)
        if name in allow:
            bad &= values != -np.inf
        with np.errstate(all="ignore"):
            suspicious = values.size and not np.isfinite(np.sum(values)) and name not in allow
        if suspicious and not np.any(bad):
            bad = np.ones(bad.shape, bool)
        if not np.any(bad):
            continue
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
