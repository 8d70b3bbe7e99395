"""Returns zeros instead of None."""

_original = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _original(x, W, b, needs)
    shapes = x.shape, W.shape, b.shape
    dtype = x.dtype

    def filled(saved, g):
        parts = pull(saved, g)
        return tuple(
            np.zeros(shape, dtype) if part is None else part
            for part, shape in zip(parts, shapes, strict=True)
        )

    return y, saved, filled
