"""Takes the largest off before whole numbers become float64: int8 wraps around."""

_of_floats = logsumexp


def logsumexp(x, axis=-1):
    x = np.asarray(x)
    if x.dtype.kind in "iu" and x.size:
        top = x.max(axis=axis, keepdims=True)
        return _of_floats((x - top).astype(np.float64), axis) + np.squeeze(top, axis).astype(float)
    return _of_floats(x, axis)
