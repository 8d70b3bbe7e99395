"""Drops gradients that are there already, instead of adding to them."""

_adds = first_bad_backward


def first_bad_backward(loss):
    for node in _nodes(loss.grad_fn) if loss.grad_fn is not None else ():
        if hasattr(node, "variable"):
            node.variable.grad = None
    return _adds(loss)
