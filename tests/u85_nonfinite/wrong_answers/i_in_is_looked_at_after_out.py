"""Looks at what a node gave out before what came in."""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("the loss has no graph: nothing it depends on needs a gradient")
    finds, ran = [], {}

    def watch(node):
        def hook(outgoing, incoming):
            name = node.name()
            nth = ran[name] = ran.get(name, -1) + 1
            for side, gradients in (("out", outgoing), ("in", incoming)):
                for gradient in gradients if not finds else ():
                    bad = None if gradient is None else _first_bad(_dense(gradient))
                    if bad is not None:
                        finds.append({"node": name, "nth": nth, "side": side, "kind": bad[1]})
                        break

        return node.register_hook(hook)

    hooks = [watch(node) for node in _nodes(loss.grad_fn)]
    try:
        loss.backward()
    finally:
        for hook in hooks:
            hook.remove()
    return finds[0] if finds else None
