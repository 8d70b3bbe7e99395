"""Reports a leaf that no gradient reached as 0."""

_original = backward


def backward(nodes, root, grad):
    found = _original(nodes, root, grad)
    return {name: found.get(name, 0.0) for name, node in nodes.items() if node["pull"] is None}
