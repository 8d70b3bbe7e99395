"""Lets NumPy broadcast the bias and mix dtypes.

check = "8.1.a/linear_refuses_what_does_not_fit"
stage = "numpy"
says = "A bias that does not fit is broadcast. The sum over the batch is then no gradient of it, and nobody is told."
"""

_strict_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    shaped = np.broadcast_to(b, x.shape[:1] + W.shape[:1])[0] if len(x) else b
    y, saved, pull = _strict_linear_vjp(x, W, shaped.astype(x.dtype), needs)
    return (y if b.ndim == 1 else x @ W.T + b), saved, pull
