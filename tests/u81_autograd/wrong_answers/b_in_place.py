"""Clips its argument in place."""

def relu_vjp(x, needs):
    (need,) = needs
    np.maximum(x, 0, out=x)

    def pull(saved, g):
        return (np.where(saved[0] > 0, g, g.dtype.type(0)) if need else None,)

    return x, (x,) if need else (), pull
