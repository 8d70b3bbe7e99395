"""Searches in the order of memory.

check = "8.5.e/first_entry_of_an_array"
stage = "numpy"
says = "Memory has another order than indices: in a transposed array the first entry in memory is not the one with the smallest index."
"""


def first_invalid(trace, allow=()):
    for name, array in trace:
        values = np.asarray(array)
        bad = ~np.isfinite(values)
        if name in allow:
            bad &= values != -np.inf
        if not np.any(bad):
            continue
        if not values.flags.c_contiguous and values.flags.f_contiguous:
            flat = int(np.argmax(bad.T.ravel()))
            index = tuple(int(i) for i in np.unravel_index(flat, bad.T.shape))[::-1]
            value = values[index]
            return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
        index = tuple(int(i) for i in np.unravel_index(np.argmax(bad.ravel(order="K")), bad.shape))
        value = values[index]
        return name, index, "nan" if np.isnan(value) else "+inf" if value > 0 else "-inf"
    return None
