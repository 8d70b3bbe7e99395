"""Looks at the first of several outputs alone."""

_original = graph_nodes


def graph_nodes(outputs):
    if not isinstance(outputs, torch.Tensor):
        outputs = [next(t for t in outputs)] if len(outputs) else []
    return _original(outputs)
