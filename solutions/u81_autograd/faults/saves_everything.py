"""Saves x and W whatever is needed.

check = "8.1.a/linear_saves_only_what_is_needed"
stage = "numpy"
says = "Both x and W are saved each time. The gradient of W asks for x, and that of x asks for W; what no needed gradient asks for need not be kept."
"""

_minimal_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    _minimal_linear_vjp(x, W, b, needs)
    need_x, need_W, need_b = needs

    def pull(saved, g):
        W, x = saved
        gx = g @ W if need_x else None
        gW = g.T @ x if need_W else None
        return gx, gW, g.sum(axis=0) if need_b else None

    return x @ W.T + b, (W, x), pull
