"""Adds the counts of several outputs.

check = "8.1.f/several_outputs_and_none"
stage = "torch"
says = "The graphs of several outputs were counted one by one and added. What they share is one node."
also = [
  "8.1.f/outputs_inside_the_graph_of_others",
  "8.1.f/nodes_of_an_mlp",
]
"""

_joint_graph_nodes = graph_nodes


def graph_nodes(outputs):
    if isinstance(outputs, torch.Tensor):
        return _joint_graph_nodes(outputs)
    parts, names = [_joint_graph_nodes(tensor) for tensor in outputs], {}
    for part in parts:
        for name, count in part["names"].items():
            names[name] = names.get(name, 0) + count
    return {
        "nodes": sum(part["nodes"] for part in parts),
        "leaves": sum(part["leaves"] for part in parts),
        "names": names,
        "depth": max((part["depth"] for part in parts), default=0),
    }
