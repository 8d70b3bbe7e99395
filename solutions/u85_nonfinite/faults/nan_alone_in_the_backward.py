"""Looks for NaN alone, as anomaly detection does.

check = "8.5.i/infinite_slope_at_a_random_layer"
stage = "torch"
says = "A gradient is infinite before it is NaN, and may never become NaN. Look for both."
also = [
  "8.5.i/which_of_its_name",
  "8.5.i/sum_between_two_nodes",
  "8.5.i/large_graphs",
  "8.5.q/suspects_are_rejected_by_their_number",
  "8.5.i/kind_of_the_first_bad_entry",
  "8.5.i/nth_counts_nodes_that_ran",
]
"""


def _first_nan(gradient):
    return _first_bad(gradient) if gradient.isnan().any() else None


def first_bad_backward(loss):
    if loss.grad_fn is None:
        raise ValueError("the loss has no graph: nothing it depends on needs a gradient")
    finds, ran = [], {}

    def watch(node):
        def hook(outgoing, incoming):
            name = node.name()
            nth = ran[name] = ran.get(name, -1) + 1
            for side, gradients in (("in", incoming), ("out", outgoing)):
                for gradient in gradients if not finds else ():
                    bad = None if gradient is None else _first_nan(_dense(gradient))
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
