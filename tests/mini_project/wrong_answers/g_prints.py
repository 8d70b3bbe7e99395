"""Leaves a print in the objective."""

_repaired = repaired


def repaired(seed):
    run = _repaired(seed)
    objective = run.objective

    def told(batch):
        loss = objective(batch)
        print(end="")
        return loss * 1.0

    run.objective = told
    return run
