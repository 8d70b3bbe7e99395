"""Counts a leaf by itself as a graph of one node."""

_original = graph_nodes


def graph_nodes(outputs):
    if isinstance(outputs, torch.Tensor) and outputs.grad_fn is None and outputs.requires_grad:
        return {"nodes": 1, "leaves": 1, "names": {"AccumulateGrad": 1}, "depth": 1}
    return _original(outputs)
