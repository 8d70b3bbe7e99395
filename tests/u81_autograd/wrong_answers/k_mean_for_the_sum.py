"""Penalises the mean square of each gradient."""


def penalty_step(weights, loss_fn, strength, lr):
    trained = [weight for weight in weights.values() if weight.requires_grad]
    loss = loss_fn(weights)
    firsts = torch.autograd.grad(loss, trained, create_graph=True, allow_unused=True)
    penalty = sum((g.square().mean() for g in firsts if g is not None), torch.zeros_like(loss))
    gradients = torch.autograd.grad(loss + strength * penalty, trained, allow_unused=True)
    with torch.no_grad():
        for weight, gradient in zip(trained, gradients, strict=True):
            if gradient is not None:
                weight.sub_(lr * gradient)
    return loss.detach(), penalty.detach()
