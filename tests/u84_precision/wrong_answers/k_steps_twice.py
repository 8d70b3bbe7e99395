"""Takes the step a second time, past the scaler, at the same gradients."""

_k_one_step = amp_step


def amp_step(model, optimizer, *arguments, **named):
    found = _k_one_step(model, optimizer, *arguments, **named)
    if found["stepped"]:
        optimizer.step()
    return found
