"""Returns a float for the norm and clips through the foreach functions."""

_true = amp_step


def amp_step(*arguments, **named):
    found = _true(*arguments, **named)
    return {**found, "norm": float(found["norm"]), "scale": torch.tensor(found["scale"])}
