"""Returns loss and penalty with their graphs.

check = "8.1.k/weights_are_leaves_without_a_graph"
stage = "torch"
says = "What the step returns still has its graph. A list of such losses keeps the graph of each step alive."
"""

_detaching_penalty_step = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    loss, penalty = _detaching_penalty_step(weights, loss_fn, strength, lr)
    trained = [weight for weight in weights.values() if weight.requires_grad]
    return loss + 0 * trained[0].sum(), penalty
