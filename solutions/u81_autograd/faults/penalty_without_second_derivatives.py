"""Takes the penalty for a constant.

check = "8.1.k/penalty_step_values"
stage = "torch"
says = "The weights moved along the loss alone. The penalty is made of gradients, and its own gradient needs their graph: create_graph=True."
also = [
  "8.1.k/frozen_and_unused_weights",
]
"""

_second_penalty_step = penalty_step


def penalty_step(weights, loss_fn, strength, lr):
    with torch.enable_grad():
        before = {n: w.detach().clone() for n, w in weights.items()}
        loss, penalty = _second_penalty_step(weights, loss_fn, strength, lr)
    trained = [n for n, w in weights.items() if w.requires_grad]
    with torch.no_grad():
        for name in trained:
            weights[name].copy_(before[name])
    firsts = torch.autograd.grad(loss_fn(weights), [weights[n] for n in trained], allow_unused=True)
    with torch.no_grad():
        for name, g in zip(trained, firsts, strict=True):
            if g is not None:
                weights[name] -= lr * g
    return loss, penalty
