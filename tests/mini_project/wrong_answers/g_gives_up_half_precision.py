"""Compiles the objective without its break by compiling nothing of the model."""

_whole = repaired


def repaired(seed):
    run = _whole(seed)
    objective = run.objective
    run.objective = torch.compiler.disable(objective)
    return run
