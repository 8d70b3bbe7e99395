"""Takes the mean of the bias gradient over the batch.

check = "8.1.a/linear_gradients"
stage = "numpy"
says = "This is the mean over the batch. The bias is added to each example, so that its gradient is the sum over them."
also = [
  "8.1.a/linear_saves_only_what_is_needed",
  "8.1.a/linear_views_and_edges",
]
"""

_summed_linear_vjp = linear_vjp


def linear_vjp(x, W, b, needs):
    y, saved, pull = _summed_linear_vjp(x, W, b, needs)

    def averaged(saved, g):
        gx, gW, gb = pull(saved, g)
        return gx, gW, None if gb is None else gb / max(len(g), 1)

    return y, saved, averaged
