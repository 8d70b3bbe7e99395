"""Stores the first gradients, with their graph, for a look at them later.

check = "8.1.k/guard_on_the_faulty_and_the_repaired"
stage = "torch"
says = "Your guard finds a graph on what your step has stored in .grad. Such a gradient leads back to the weight that owns it: detach it, or store nothing."
also = [
  "8.1.k/stored_gradients_are_left_alone",
  "8.1.k/memory_of_penalty_steps",
]
"""

_storeless_penalty_step = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    trained = [weight for weight in weights.values() if weight.requires_grad]
    firsts = torch.autograd.grad(loss_fn(weights), trained, create_graph=True, allow_unused=True)
    answer = _storeless_penalty_step(weights, loss_fn, strength, lr)
    for weight, gradient in zip(trained, firsts, strict=True):
        if weight.grad is None:
            weight.grad = gradient
    return answer
