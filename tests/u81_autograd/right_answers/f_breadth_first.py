"""Goes breadth first and raises depths until they stay."""

def graph_nodes(outputs):
    roots = [outputs] if torch.is_tensor(outputs) else list(outputs)
    seen = dict.fromkeys(t.grad_fn for t in roots if t.grad_fn is not None)
    for node in (walk := list(seen)):
        for source, _ in node.next_functions:
            if source is not None and source not in seen:
                seen[source] = None
                walk.append(source)
    waiting = dict.fromkeys(seen, 0)
    for node in seen:
        for source, _ in node.next_functions:
            if source is not None:
                waiting[source] += 1
    depth = dict.fromkeys(seen, 1)
    ready = [node for node, users in waiting.items() if not users]
    for node in ready:
        for source, _ in node.next_functions:
            if source is not None:
                depth[source] = max(depth[source], depth[node] + 1)
                waiting[source] -= 1
                if not waiting[source]:
                    ready.append(source)
    names = {}
    for node in seen:
        name = node.name().split(":")[-1]
        names[name] = names.get(name, 0) + 1
    leaves = names.get("AccumulateGrad", 0)
    return {"nodes": len(seen), "leaves": leaves, "names": names,
            "depth": max(depth.values(), default=0)}
