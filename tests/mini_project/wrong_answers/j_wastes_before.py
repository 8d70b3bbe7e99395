"""Makes the repaired trainer heavier than it was, and takes that away again."""

_light = repaired


def repaired(seed):
    run = _light(seed)
    update = run.update

    def heavy():
        waste = torch.zeros(250_000)
        update()
        del waste

    run.update = heavy
    return run


def optimized(seed):
    return _light(seed)
