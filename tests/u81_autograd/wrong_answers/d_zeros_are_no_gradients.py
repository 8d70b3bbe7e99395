"""Sends on no gradient that holds nothing but zeros."""

_original = backward


def backward(nodes, root, grad):
    def quiet(pull):
        return lambda g: [p if p is None or np.any(p) else None for p in pull(g)]

    sparing = {
        name: {**node, "pull": node["pull"] and quiet(node["pull"])}
        for name, node in nodes.items()
    }
    return _original(sparing, root, grad)
