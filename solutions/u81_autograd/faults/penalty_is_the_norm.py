"""Penalises the length of the gradient instead of its square.

check = "8.1.k/penalty_step_values"
stage = "torch"
says = "The penalty is the length of the gradient. R is the sum of its squared entries."
also = [
  "8.1.k/frozen_and_unused_weights",
]
"""


def penalty_step(weights, loss_fn, strength, lr):
    trained = [weight for weight in weights.values() if weight.requires_grad]
    loss = loss_fn(weights)
    firsts = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
    penalty = sum((g.square().sum() for g in firsts if g is not None), torch.zeros_like(loss))
    penalty = penalty.sqrt()
    gradients = torch.autograd.grad(loss + strength * penalty, trained, allow_unused=True)
    with torch.no_grad():
        for weight, gradient in zip(trained, gradients, strict=True):
            if gradient is not None:
                weight -= lr * gradient
    return loss.detach(), penalty.detach()
