"""Takes the distance at which a node is met first.

check = "8.1.f/depth_is_the_longest_way"
stage = "torch"
says = "The depth is that of the shortest ways: a node's distance was fixed when it was met first. A longer way may come later."
also = [
  "8.1.f/outputs_inside_the_graph_of_others",
  "8.1.j/depths_as_evidence",
  "8.1.j/every_step_is_looked_at",
]
"""

_late_graph_nodes = graph_nodes


def graph_nodes(outputs):
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    level = {tensor.grad_fn for tensor in tensors} - {None}
    seen, depth = set(level), 0
    while level:
        depth += 1
        level = {s for node in level for s, _ in node.next_functions if s is not None} - seen
        seen |= level
    return {**_late_graph_nodes(outputs), "depth": depth}
