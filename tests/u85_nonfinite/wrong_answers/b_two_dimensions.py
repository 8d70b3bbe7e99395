"""Transposes for axis 0, which is right for matrices alone."""

_last_axis = softmax


def softmax(x, axis=-1, keep=None):
    x = np.asarray(x)
    axis = axis % x.ndim
    if axis == x.ndim - 1:
        return _last_axis(x, -1, keep)
    if keep is not None:
        keep = np.broadcast_to(np.asarray(keep), x.shape).T
    return _last_axis(x.T, -1, keep).T
