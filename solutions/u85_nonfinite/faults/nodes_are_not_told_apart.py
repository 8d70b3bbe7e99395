"""Numbers every node 0.

check = "8.5.i/which_of_its_name"
stage = "torch"
says = "A graph has many nodes of one name. Count those that ran before."
# the same result is looked at there
also = [
  "8.5.i/nth_counts_nodes_that_ran",
]
"""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("the loss has no graph: nothing it depends on needs a gradient")
    finds, ran = [], {}

    def watch(node):
        def hook(outgoing, incoming):
            name = node.name()
            ran[name] = ran.get(name, -1) + 1
            for side, gradients in (("in", incoming), ("out", outgoing)):
                for gradient in gradients if not finds else ():
                    bad = None if gradient is None else _first_bad(_dense(gradient))
                    if bad is not None:
                        finds.append({"node": name, "nth": 0, "side": side, "kind": bad[1]})
                        break

        return node.register_hook(hook)

    hooks = [watch(node) for node in _nodes(loss.grad_fn)]
    try:
        loss.backward()
    finally:
        for hook in hooks:
            hook.remove()
    return finds[0] if finds else None
