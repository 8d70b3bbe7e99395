"""Uses a plain backward for the outer gradient."""

def penalty_step(weights, loss_fn, strength, lr):
    trained = [weight for weight in weights.values() if weight.requires_grad]
    loss = loss_fn(weights)
    firsts = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
    penalty = sum((g.square().sum() for g in firsts if g is not None), torch.zeros_like(loss))
    (loss + strength * penalty).sum().backward()
    with torch.no_grad():
        for weight in trained:
            if weight.grad is not None:
                weight -= lr * weight.grad
    return loss.detach(), penalty.detach()
