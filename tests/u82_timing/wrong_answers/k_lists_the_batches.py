"""Makes a list of all batches before the first step."""

_plain = quiet_training


def quiet_training(step, batches, every, log):
    return _plain(step, list(batches), every, log)
