"""Blames the operation of the forward that made the NaN.

check = "8.5.i/consumer_of_a_forward_nan"
stage = "torch"
says = "The node that is named has finite gradients: its operation made the bad value of the forward, but the backward goes wrong at the one that used it."
"""

_backward_search = first_bad_backward


def first_bad_backward(loss):
    names = [node.name() for node in _nodes(loss.grad_fn)] if loss.grad_fn else []
    find = _backward_search(loss)
    if find and find["kind"] == "nan" and bool(loss.isnan()):
        find["node"] = next((n for n in names if n.startswith("Log")), "LogBackward0")
    return find
