"""Takes a gradient that comes in for given, although an output may have had none."""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("no graph")
    finds, ran = [], {}

    def watch(node):
        def hook(outgoing, incoming):
            name = node.name()
            nth = ran[name] = ran.get(name, -1) + 1
            for side, gradients in (("in", incoming), ("out", outgoing)):
                for gradient in gradients if not finds else ():
                    if side == "out" and gradient is None:
                        continue
                    bad = _first_bad(gradient)
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
