"""Makes what it saves contiguous, which copies a view.

check = "8.1.a/linear_views_and_edges"
stage = "numpy"
says = "What is saved of a strided or transposed argument is a copy. It costs as much memory again; save the view."
"""

_view_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _view_linear_vjp(x, W, b, needs)
    return y, tuple(np.ascontiguousarray(array) for array in saved), pull
