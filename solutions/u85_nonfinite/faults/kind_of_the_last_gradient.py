"""Names the kind of the last bad gradient of a side.

check = "8.5.i/kind_of_the_first_bad_entry"
stage = "torch"
says = "The node gave out several bad gradients, and the kind is that of the last of them. The first decides, as it does for the entries of one."
"""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("no graph")
    finds, ran = [], {}

    def watch(node):
        def hook(outgoing, incoming):
            name = node.name()
            nth = ran[name] = ran.get(name, -1) + 1
            for side, gradients in (("in", incoming), ("out", outgoing)):
                if finds:
                    return
                kinds = [_first_bad(g) for g in gradients if g is not None]
                kinds = [kind for kind in kinds if kind]
                if kinds:
                    finds.append({"node": name, "nth": nth, "side": side, "kind": kinds[-1][1]})

        return node.register_hook(hook)

    hooks = [watch(node) for node in _nodes(loss.grad_fn)]
    try:
        loss.backward()
    finally:
        for hook in hooks:
            hook.remove()
    return finds[0] if finds else None
