"""Counts a node for each output that is given.

check = "8.1.f/outputs_inside_the_graph_of_others"
stage = "torch"
says = "The node of an output was counted once for each output that leads to it. Outputs may share a node, or occur twice; put the first nodes into the set of seen ones, too."
"""

_united_graph_nodes = graph_nodes


def graph_nodes(outputs):
    result = _united_graph_nodes(outputs)
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    heads = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    return {**result, "nodes": result["nodes"] + len(heads) - len(set(heads))}
