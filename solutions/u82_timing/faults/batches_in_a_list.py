"""Makes a list of all batches before the first step.

check = "8.2.k/nothing_grows_with_the_steps"
stage = "torch"
says = "All batches were taken before the first step. Take one, make its step, and let it go."
"""

_fair_training = quiet_training


def quiet_training(step, batches, every, log):
    return _fair_training(step, list(batches), every, log)
