"""Keeps the nodes that it has seen in a cache.

check = "8.1.f/looking_at_a_graph_changes_nothing"
stage = "torch"
says = "The graph is alive after its output is gone. A node that somebody holds keeps all that it has saved."
also = [
  "8.1.k/memory_of_penalty_steps",
]
"""

_SEEN_ROOTS = {}
_forgetting_graph_nodes = graph_nodes


def graph_nodes(outputs):
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    _SEEN_ROOTS.update({tensor.grad_fn: True for tensor in tensors})
    return _forgetting_graph_nodes(outputs)
