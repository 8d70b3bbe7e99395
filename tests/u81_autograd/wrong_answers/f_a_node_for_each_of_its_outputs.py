"""Keeps pairs of a node and the number of its output, so that a node with two counts as two."""

_original = graph_nodes


def graph_nodes(outputs):
    result = _original(outputs)
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    walk = [(t.grad_fn, t.output_nr) for t in tensors if t.grad_fn is not None]
    seen = set(walk)
    while walk:
        node, _ = walk.pop()
        for pair in node.next_functions:
            if pair[0] is not None and pair not in seen:
                seen.add(pair)
                walk.append(pair)
    return {**result, "nodes": len(seen)}
