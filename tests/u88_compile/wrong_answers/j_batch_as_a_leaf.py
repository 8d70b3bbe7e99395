"""Asks for the gradient of the batch itself, and afterwards for none."""

_right_compare = compare


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    try:
        return _right_compare(model, batch, backend, rtol, seed)
    finally:
        if batch.is_floating_point():
            batch.requires_grad_(False)
            batch.grad = None
