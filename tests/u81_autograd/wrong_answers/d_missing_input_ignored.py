"""Leaves out inputs that are not in the graph."""

_original = backward


def backward(nodes, root, grad):
    known = {
        name: {**node, "inputs": [s if s in nodes else None for s in node["inputs"]]}
        for name, node in nodes.items()
    }
    return _original(known, root, grad)
