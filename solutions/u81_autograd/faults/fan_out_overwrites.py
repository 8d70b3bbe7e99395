"""Keeps the last gradient that comes to a node instead of the sum.

check = "8.1.d/fan_out_adds_up"
stage = "numpy"
says = "The last gradient wins. A value that is used in several places gets the sum of what comes from each of them."
also = [
  "8.1.d/zeros_are_gradients",
  "8.1.d/each_node_once_after_its_users",
  "8.1.d/arrays_are_not_edited",
  "8.1.d/deep_graphs_and_many_paths",
]
"""


def backward(nodes, root, grad):
    gradients, leaves = {root: grad}, {}
    for name in _users_first(nodes, root):
        g = gradients.pop(name, None)
        if g is None:
            continue
        node = nodes[name]
        if node["pull"] is None:
            leaves[name] = g
            continue
        parts = node["pull"](g)
        if len(parts) != len(node["inputs"]):
            raise ValueError(name)
        for source, part in zip(node["inputs"], parts, strict=True):
            if source is not None and part is not None:
                gradients[source] = part
    return leaves
