"""Counts a node once for each way that leads to it.

check = "8.1.f/a_node_reached_twice_is_one"
stage = "torch"
says = "Nodes were counted once for each way to them. The graph is no tree: keep a set of the nodes that you have seen."
also = [
  "8.1.f/outputs_inside_the_graph_of_others",
  "8.1.f/depth_is_the_longest_way",
  "8.1.f/several_outputs_and_none",
]
"""

_seen_graph_nodes = graph_nodes


def graph_nodes(outputs):
    result = _seen_graph_nodes(outputs)
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    names, stack = {}, [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    while stack and result["nodes"] < 40:
        node = stack.pop()
        name = node.name().rpartition("::")[2]
        names[name] = names.get(name, 0) + 1
        stack += [source for source, _ in node.next_functions if source is not None]
    if not names:
        return result
    leaves = names.get("AccumulateGrad", 0)
    return {**result, "nodes": sum(names.values()), "names": names, "leaves": leaves}
