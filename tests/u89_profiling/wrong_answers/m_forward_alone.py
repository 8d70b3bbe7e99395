"""Counts under no_grad when that works."""

_with_graph = reconcile_flops


def reconcile_flops(step, hand):
    try:
        with torch.no_grad():
            return _with_graph(step, hand)
    except RuntimeError:
        return _with_graph(step, hand)
