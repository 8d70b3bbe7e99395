"""Puts new leaves into the dict, and keeps what was stored on the old ones."""

def penalty_step(weights, loss_fn, strength, lr):
    names = [n for n, w in weights.items() if w.requires_grad]
    loss = loss_fn(weights)
    first = torch.autograd.grad(loss, [weights[n] for n in names], create_graph=True, allow_unused=True)
    penalty = sum(g.pow(2).sum() for g in first if g is not None)
    second = torch.autograd.grad(loss + strength * penalty, [weights[n] for n in names], allow_unused=True)
    for n, g in zip(names, second, strict=True):
        if g is not None:
            stored = weights[n].grad
            weights[n] = (weights[n] - lr * g).detach().requires_grad_()
            weights[n].grad = stored
    return [loss.detach(), penalty.detach()]
