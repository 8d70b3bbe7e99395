"""Switches the scaler off, so that small gradients underflow."""

_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    run.scaler = torch.amp.GradScaler("cpu", enabled=False)
    return run
