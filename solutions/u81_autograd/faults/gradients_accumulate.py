"""Stores the gradients of the step on the weights.

check = "8.1.k/stored_gradients_are_left_alone"
stage = "torch"
says = "What was stored on .grad is not what it was: a backward adds to it. torch.autograd.grad returns gradients and stores nothing."
also = [
  "8.1.k/memory_of_penalty_steps",
]
"""

_unstored_penalty_step = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    loss_fn(weights).sum().backward()
    return _unstored_penalty_step(weights, loss_fn, strength, lr)
