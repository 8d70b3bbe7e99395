"""Logs nothing for the steps that are left over.

check = "8.2.k/the_log_is_that_of_the_loud_loop"
stage = "torch"
says = "The steps after the last full line were not logged."
also = [
  "8.2.k/one_wait_for_each_line",
]
"""

_fair_training = quiet_training


def quiet_training(step, batches, every, log):
    def full(steps, mean):
        if steps % every == 0:
            log(steps, mean)

    return _fair_training(step, batches, every, full)
