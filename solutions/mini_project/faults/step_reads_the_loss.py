"""Reads the loss back in each step.

check = "mini-project.g/a_step_reads_nothing_back"
stage = "torch"
says = "One value is read back in each step. On a device, the host waits there."
"""


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
