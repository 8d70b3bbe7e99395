"""Counts the nodes of a name in the order of its walk over the graph.

check = "8.5.i/nth_counts_nodes_that_ran"
stage = "torch"
says = "This is the place of the node in a walk over the graph. The backward runs its nodes in another order; count them as they run."
"""


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("no graph")
    seen, order, queue = {loss.grad_fn}, [], [loss.grad_fn]
    while queue:
        node = queue.pop(0)
        order.append(node)
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                queue.append(after)
    finds, counts = [], {}

    def watch(node):
        nth = counts[node.name()] = counts.get(node.name(), -1) + 1

        def hook(outgoing, incoming):
            for side, gradients in (("in", incoming), ("out", outgoing)):
                for gradient in gradients if not finds else ():
                    bad = None if gradient is None else _first_bad(gradient)
                    if bad is not None:
                        finds.append({"node": node.name(), "nth": nth, "side": side, "kind": bad[1]})
                        break

        node.register_hook(hook)

    for node in order:
        watch(node)
    loss.backward()
    return finds[0] if finds else None
