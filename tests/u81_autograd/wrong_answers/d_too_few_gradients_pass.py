"""Goes through inputs and gradients side by side, as far as both reach."""

_original = backward


def backward(nodes, root, grad):
    def short(node):
        def pull(g):
            parts = node["pull"](g)
            if len(parts) > len(node["inputs"]):
                raise ValueError("too many gradients")
            return [*parts, *[None] * (len(node["inputs"]) - len(parts))]

        return {**node, "pull": node["pull"] and pull}

    return _original({name: short(node) for name, node in nodes.items()}, root, grad)
