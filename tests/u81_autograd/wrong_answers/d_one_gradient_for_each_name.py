"""Keeps one of two gradients where an input occurs twice."""

_original = backward


def backward(nodes, root, grad):
    def once(node):
        def pull(g):
            parts = list(node["pull"](g))
            if len(parts) != len(node["inputs"]):
                raise ValueError("number of gradients")
            seen = dict(zip(node["inputs"], parts, strict=True))
            return [seen.pop(name, None) for name in node["inputs"]]

        return {**node, "pull": node["pull"] and pull}

    return _original({name: once(node) for name, node in nodes.items()}, root, grad)
