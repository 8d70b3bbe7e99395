"""Takes the outputs for what nothing else uses, and starts a topological order from them."""

_original = graph_nodes


def graph_nodes(outputs):
    result = _original(outputs)
    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    ready = list(dict.fromkeys(t.grad_fn for t in tensors if t.grad_fn is not None))
    seen, walk, users = set(ready), list(ready), {}
    for node in walk:
        for source, _ in node.next_functions:
            if source is not None:
                users[source] = users.get(source, 0) + 1
                if source not in seen:
                    seen.add(source)
                    walk.append(source)
    depth = dict.fromkeys(ready, 1)
    for node in ready:
        for source, _ in node.next_functions:
            if source is not None:
                depth[source] = max(depth.get(source, 0), depth[node] + 1)
                users[source] -= 1
                if not users[source]:
                    ready.append(source)
    return {**result, "depth": max(depth.values(), default=0)}
