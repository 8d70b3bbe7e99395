"""Gives parameters without a gradient one of zeros: an optimizer with decay moves them."""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError("max_norm")
    for p in model.parameters():
        p.grad = None
    loss.backward()
    for p in model.parameters():
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    gradients = {n: p.grad for n, p in model.named_parameters()}
    bad = {n: c for n, c in nonfinite_counts(gradients).items() if c}
    norm = float(torch.stack([g.double().square().sum() for g in gradients.values()]).sum().sqrt())
    value = float(loss.detach())
    stepped = not bad and abs(value) < torch.inf
    if stepped:
        if norm > max_norm:
            for g in gradients.values():
                g.copy_(g.double() * (max_norm / norm))
        optimizer.step()
    for p in model.parameters():
        p.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
