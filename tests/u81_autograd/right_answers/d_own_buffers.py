"""Adds in place, but only into arrays of its own."""

def backward(nodes, root, grad):
    total, leaves = {root: np.array(grad, dtype=float)}, {}
    for name in _users_first(nodes, root):
        if name not in total:
            continue
        g = total.pop(name)
        if nodes[name]["pull"] is None:
            leaves[name] = g
            continue
        sent = nodes[name]["pull"](g.copy())
        if len(sent) != len(nodes[name]["inputs"]):
            raise ValueError(name)
        for source, part in zip(nodes[name]["inputs"], sent, strict=True):
            if source is None or part is None:
                continue
            if source not in total:
                total[source] = np.zeros_like(np.asarray(part, dtype=float))
            total[source] += part
    return leaves
