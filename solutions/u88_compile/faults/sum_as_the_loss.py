"""Sums the outputs up, which hides a softmax.

check = "8.8.j/a_wrong_backward_is_found"
stage = "torch"
says = "The plain sum of the outputs is the loss. For a softmax it is constant, and every gradient is 0."
"""

def _outcome(model, batch, training, backend, seed, _right=_outcome):
    randn = torch.randn
    torch.randn = lambda shape, generator, dtype: torch.ones(shape, dtype=dtype)
    try:
        return _right(model, batch, training, backend, seed)
    finally:
        torch.randn = randn
