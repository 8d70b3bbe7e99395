"""Returns a list with NumPy integers."""


_plain_find = first_invalid


def first_invalid(trace, allow=()):
    found = _plain_find(iter(trace), set(allow))
    return None if found is None else [found[0], np.array(found[1], dtype=int), np.str_(found[2])]
