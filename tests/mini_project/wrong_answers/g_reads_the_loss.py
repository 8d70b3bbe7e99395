"""Reads the loss back in each step."""

_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    step = run.step
    run.losses = []

    def logged(batch):
        loss = step(batch)
        run.losses.append(loss.item())
        return loss

    run.step = logged
    return run
