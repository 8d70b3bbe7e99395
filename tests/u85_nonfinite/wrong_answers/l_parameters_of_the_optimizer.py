"""Looks at the parameters of the optimizer, which need not be all of the model's."""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError("max_norm")
    names = {p: n for n, p in model.named_parameters()}
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for p in parameters:
        p.grad = None
    loss.backward()
    gradients = {names[p]: p.grad for p in parameters if p.grad is not None}
    bad = {n: c for n, c in nonfinite_counts(gradients).items() if c}
    squares = [g.double().square().sum() for g in gradients.values()]
    norm = float(torch.stack(squares).sum().sqrt()) if squares else 0.0
    value = float(loss.detach())
    stepped = not bad and abs(value) < torch.inf
    if stepped:
        if norm > max_norm:
            for g in gradients.values():
                g.copy_(g.double() * (max_norm / norm))
        optimizer.step()
    for p in parameters:
        p.grad = None
    return {"stepped": stepped, "loss": value, "norm": norm, "bad": bad}
