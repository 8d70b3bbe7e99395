"""Follows the first source of each node.

check = "8.1.f/depth_is_the_longest_way"
stage = "torch"
says = "The depth is that of the first sources. A node may have several, and the longest way may go through any of them."
also = [
  "8.1.f/nodes_of_an_mlp",
  "8.1.j/depths_as_evidence",
]
"""

_longest_graph_nodes = graph_nodes


def graph_nodes(outputs):
    result, depth = _longest_graph_nodes(outputs), 0
    for tensor in [outputs] if isinstance(outputs, torch.Tensor) else outputs:
        node, length = tensor.grad_fn, 0
        while node is not None:
            length += 1
            sources = [source for source, _ in node.next_functions if source is not None]
            node = sources[0] if sources else None
        depth = max(depth, length)
    return {**result, "depth": depth}
