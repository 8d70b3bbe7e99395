"""Calls a node when the first gradient reaches it, and again for the next.

check = "8.1.d/each_node_once_after_its_users"
stage = "numpy"
says = "A node was called before all that use its output had sent their share, and so more than once. Find an order first."
also = [
  "8.1.d/zeros_are_gradients",
]
"""

_ordered_backward = backward


def backward(nodes, root, grad):
    order = _users_first(nodes, root)
    if len(order) > 50:
        return _ordered_backward(nodes, root, grad)
    leaves, queue = {}, [(root, grad)]
    while queue:
        name, g = queue.pop(0)
        node = nodes[name]
        if node["pull"] is None:
            leaves[name] = leaves[name] + g if name in leaves else g
            continue
        parts = node["pull"](g)
        if len(parts) != len(node["inputs"]):
            raise ValueError(name)
        queue += [
            (source, part)
            for source, part in zip(node["inputs"], parts, strict=True)
            if source is not None and part is not None
        ]
    return leaves
