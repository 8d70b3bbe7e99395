"""Goes past a node whose gradient is nothing but zeros.

check = "8.1.d/zeros_are_gradients"
stage = "numpy"
says = "A gradient of zeros was dropped, as if it were None. None says that nothing is sent; zeros are a gradient, and the leaves below have one."
"""

_full_backward = backward


def backward(nodes, root, grad):
    def sparing(node):
        def pull(g):
            parts = node["pull"](g)
            if np.any(g) or len(parts) != len(node["inputs"]):
                return parts
            return [None] * len(parts)

        return {**node, "pull": node["pull"] and pull}

    return _full_backward({name: sparing(node) for name, node in nodes.items()}, root, grad)
