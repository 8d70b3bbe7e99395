"""Takes the missing gradient of the input for one of zeros."""

_step_of = _step


def _step(make, x, seed):
    found = _step_of(make, x, seed)
    if x.requires_grad and found["input"] is None:
        found["input"] = torch.zeros_like(x)
    return found
