"""Adds to the array that came first.

check = "8.1.d/arrays_are_not_edited"
stage = "numpy"
says = "Gradients are added up in place, in an array that another node holds as well: its gradient changes with it. Add into a new array."
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
            if source is None or part is None:
                continue
            if source in gradients:
                gradients[source] += part
            else:
                gradients[source] = part
    return leaves
