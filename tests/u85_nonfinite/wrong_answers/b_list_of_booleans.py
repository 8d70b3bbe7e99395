"""Asks the mask for its dtype, which a list does not have."""

_of_arrays = softmax


def softmax(x, axis=-1, keep=None):
    if keep is not None and keep.dtype != np.bool_:
        raise ValueError("keep must be boolean")
    return _of_arrays(x, axis, keep)
