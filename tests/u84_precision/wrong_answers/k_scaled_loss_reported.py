"""Reports the scaled loss."""

_true = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    found = _true(model, optimizer, scaler, *arguments, **named)
    return {**found, "loss": found["loss"] * found["scale"]}
