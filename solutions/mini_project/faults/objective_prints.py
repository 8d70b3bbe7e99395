"""Leaves a print in the objective.

check = "mini-project.g/the_objective_is_captured_whole"
stage = "torch"
says = "The objective breaks in two at a print."
"""


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
