"""Takes the largest off before whole numbers become float64: uint8 wraps around."""

_of_floats = softmax


def softmax(x, axis=-1, keep=None):
    x = np.asarray(x)
    if x.dtype.kind in "iu" and x.size and keep is None:
        x = (x - x.max(axis=axis, keepdims=True)).astype(np.float64)
    return _of_floats(x, axis, keep)
