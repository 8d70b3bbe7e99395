"""Looks at `every` only when a line would be due.

check = "8.2.k/a_line_never"
stage = "torch"
says = "Steps were made although a line every 0 steps was to be refused."
"""

_fair_training = quiet_training


def quiet_training(step, batches, every, log):
    if every < 1:
        for batch in batches:
            step(batch)
    return _fair_training(step, batches, every, log)
