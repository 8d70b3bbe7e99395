"""Forgets what has come to an input when a None comes after it."""

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
            if source is None:
                continue
            known = gradients.get(source)
            gradients[source] = part if part is None or known is None else known + part
    return leaves
