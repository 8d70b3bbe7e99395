"""Looks at what comes in by a pre-hook that runs before the node."""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("no graph")
    found, ran, hooks = [], {}, []

    def note(node, side, gradients):
        for g in gradients:
            if g is not None and not found and not g.isfinite().all():
                found.append({"node": node.name(), "nth": ran[node.name()] - 1, "side": side,
                              "kind": _first_bad(g)[1]})

    for node in _nodes(loss.grad_fn):
        def before(given, node=node):
            ran[node.name()] = ran.get(node.name(), 0) + 1
            note(node, "in", given)

        def after(out, given, node=node):
            note(node, "out", out)

        if "AccumulateGrad" in node.name():
            hooks.append(node.register_prehook(before))
        else:
            hooks += [node.register_prehook(before), node.register_hook(after)]
    loss.backward()
    for hook in hooks:
        hook.remove()
    return found[0] if found else None
