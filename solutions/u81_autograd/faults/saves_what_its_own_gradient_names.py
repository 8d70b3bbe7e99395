"""Saves x for the gradient of x, and W for that of W.

check = "8.1.a/linear_saves_only_what_is_needed"
stage = "numpy"
says = "x is saved when x needs a gradient, and W when W does. It is the other way round: the gradient of x contains W."
"""

_crosswise_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    y, _, _ = _crosswise_linear_vjp(x, W, b, needs)
    need_x, need_W, need_b = needs
    saved = ((x,) if need_x else ()) + ((W,) if need_W else ())

    def pull(saved, g):
        # with both needed, both are there
        gx = (g @ saved[-1] if need_W else g @ W) if need_x else None
        gW = (g.T @ saved[0] if need_x else g.T @ x) if need_W else None
        return gx, gW, g.sum(axis=0) if need_b else None

    return y, saved, pull
