"""Takes the order of the dict, last to first."""

def backward(nodes, root, grad):
    _users_first(nodes, root)
    gradients, leaves = {root: grad}, {}
    for name in reversed(list(nodes)):
        if name not in gradients:
            continue
        g = gradients.pop(name)
        if nodes[name]["pull"] is None:
            leaves[name] = g
            continue
        parts = nodes[name]["pull"](g)
        if len(parts) != len(nodes[name]["inputs"]):
            raise ValueError(name)
        for source, part in zip(nodes[name]["inputs"], parts, strict=True):
            if source is not None and part is not None:
                gradients[source] = gradients[source] + part if source in gradients else part
    return leaves
