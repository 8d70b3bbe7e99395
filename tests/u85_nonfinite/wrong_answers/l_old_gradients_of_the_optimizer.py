"""Drops the gradients of parameters that the optimizer has, before the step."""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError("max_norm")
    for parameter in model.parameters():
        if any(parameter is p for g in optimizer.param_groups for p in g["params"]):
            parameter.grad = None
    loss.backward()
    grads = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    bad = {n: c for n, c in nonfinite_counts(grads).items() if c}
    norm = float(sum(g.double().square().sum() for g in grads.values()).sqrt())
    value = float(loss.detach())
    stepped = not bad and abs(value) < torch.inf
    if stepped:
        if norm > max_norm:
            for g in grads.values():
                g.copy_(g.double() * (max_norm / norm))
        optimizer.step()
    model.zero_grad()
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
