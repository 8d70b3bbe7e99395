"""Puts the recorded results of the update into the dict.

check = "8.1.k/weights_are_leaves_without_a_graph"
stage = "torch"
says = "The update was recorded: each weight is the head of a graph that holds all weights before it, and grows with each step. Update under torch.no_grad()."
also = [
  "8.1.k/stored_gradients_are_left_alone",
  "8.1.k/memory_of_penalty_steps",
  "8.1.k/guard_on_the_faulty_and_the_repaired",
]
source = "growingnet/gromo#137"
"""


def penalty_step(weights, loss_fn, strength, lr):
    names = [name for name, weight in weights.items() if weight.requires_grad]
    trained = [weights[name] for name in names]
    loss = loss_fn(weights)
    firsts = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
    penalty = sum((g.square().sum() for g in firsts if g is not None), torch.zeros_like(loss))
    total = loss + strength * penalty
    gradients = torch.autograd.grad(total, trained, allow_unused=True)
    for name, gradient in zip(names, gradients, strict=True):
        if gradient is not None:
            weights[name] = weights[name] - lr * gradient
    return loss.detach(), penalty.detach()
