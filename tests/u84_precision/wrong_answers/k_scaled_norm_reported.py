"""Reports the norm with the scale in it."""

_true = amp_step


def amp_step(model, optimizer, scaler, *arguments, **named):
    found = _true(model, optimizer, scaler, *arguments, **named)
    return {**found, "norm": found["norm"] * found["scale"]}
