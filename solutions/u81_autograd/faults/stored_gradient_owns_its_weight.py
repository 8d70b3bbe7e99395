"""Stores the first gradients together with their graph.

check = "8.1.k/memory_of_penalty_steps"
stage = "torch"
says = "Memory is left when the weights are gone: backward(create_graph=True) stores a gradient whose graph leads back to the weight that owns it. Use torch.autograd.grad."
also = [
  "8.1.k/stored_gradients_are_left_alone",
  "8.1.k/guard_on_the_faulty_and_the_repaired",
]
source = "pytorch/pytorch#51978"
"""


def penalty_step(weights, loss_fn, strength, lr):
    trained = [weight for weight in weights.values() if weight.requires_grad]
    for weight in trained:
        weight.grad = None
    loss = loss_fn(weights)
    loss.backward(create_graph=True)
    firsts = [weight.grad for weight in trained if weight.grad is not None]
    penalty = sum((g.square().sum() for g in firsts), torch.zeros_like(loss))
    gradients = torch.autograd.grad(loss + strength * penalty, trained, allow_unused=True)
    with torch.no_grad():
        for weight, gradient in zip(trained, gradients, strict=True):
            if gradient is not None:
                weight -= lr * gradient
    return loss.detach(), penalty.detach()
