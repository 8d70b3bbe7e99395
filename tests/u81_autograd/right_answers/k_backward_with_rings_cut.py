"""Uses backward with create_graph, and clears what it stored: sound since the ring is cut."""

def penalty_step(weights, loss_fn, strength, lr):
    trained = [w for w in weights.values() if w.requires_grad]
    stored = [w.grad for w in trained]
    for w in trained:
        w.grad = None
    loss = loss_fn(weights)
    loss.backward(create_graph=True)
    firsts = [w.grad for w in trained]
    penalty = sum(g.square().sum() for g in firsts if g is not None)
    for w in trained:
        w.grad = None
    gradients = torch.autograd.grad(loss + strength * penalty, trained, allow_unused=True)
    with torch.no_grad():
        for w, g, old in zip(trained, gradients, stored, strict=True):
            if g is not None:
                w.sub_(g, alpha=lr)
            w.grad = old
    return loss.detach(), penalty.detach()
