"""Keeps every loss of the run in a list.

check = "8.2.k/nothing_grows_with_the_steps"
stage = "torch"
says = "The losses of earlier lines were still in memory. A scalar is small, and its storage takes 512 bytes on a GPU all the same."
"""

_fair_training = quiet_training


def quiet_training(step, batches, every, log):
    losses = []

    def keeping(batch):
        losses.append(step(batch).detach())
        return losses[-1]

    return _fair_training(keeping, batches, every, log)
