"""Collects what comes to a node in a list, and sums it when its turn comes."""

def backward(nodes, root, grad):
    arrived, leaves = {root: [grad]}, {}
    for name in _users_first(nodes, root):
        parts = arrived.pop(name, None)
        if not parts:
            continue
        g = parts[0] if len(parts) == 1 else np.sum(np.stack(parts), axis=0)
        pull, inputs = nodes[name]["pull"], nodes[name]["inputs"]
        if pull is None:
            leaves[name] = g
            continue
        sent = pull(g)
        if len(sent) != len(inputs):
            raise ValueError(f"{name}: {len(sent)} gradients for {len(inputs)} inputs")
        for source, part in zip(inputs, sent, strict=True):
            if source is not None and part is not None:
                arrived.setdefault(source, []).append(part)
    return leaves
