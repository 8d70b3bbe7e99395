"""Lets the library clip, in float64."""


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if not max_norm > 0:
        raise ValueError(max_norm)
    for p in model.parameters():
        p.grad = None
    loss.backward()
    there = {n: p for n, p in model.named_parameters() if p.grad is not None}
    bad = {n: c for n, c in nonfinite_counts({n: p.grad for n, p in there.items()}).items() if c}
    wide = [torch.nn.Parameter(p.detach().double()) for p in there.values()]
    for w, p in zip(wide, there.values()):
        w.grad = p.grad.double()
    norm = torch.nn.utils.get_total_norm([w.grad for w in wide])
    good = not bad and bool(loss.isfinite())
    if good:
        torch.nn.utils.clip_grad_norm_(wide, max_norm, error_if_nonfinite=True)
        for w, p in zip(wide, there.values()):
            p.grad = w.grad.to(p.dtype)
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for p in model.parameters():
        p.grad = None
    return {"stepped": good, "loss": loss.detach().numpy(), "norm": float(norm), "bad": bad}
