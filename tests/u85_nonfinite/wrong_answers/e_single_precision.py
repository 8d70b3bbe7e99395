"""Looks at values in float32, where a large float64 is infinite."""

_wide = first_invalid


def first_invalid(trace, allow=()):
    with np.errstate(over="ignore"):
        return _wide([(name, np.asarray(a).astype(np.float32)) for name, a in trace], allow)
