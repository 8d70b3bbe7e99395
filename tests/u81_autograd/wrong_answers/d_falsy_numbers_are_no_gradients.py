"""Asks whether a gradient that is a number is true."""

_original = backward


def backward(nodes, root, grad):
    def quiet(pull):
        return lambda g: [None if isinstance(p, float) and not p else p for p in pull(g)]

    sparing = {
        name: {**node, "pull": node["pull"] and quiet(node["pull"])}
        for name, node in nodes.items()
    }
    return _original(sparing, root, grad)
