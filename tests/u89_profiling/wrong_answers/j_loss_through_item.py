"""Gets the loss with .item() and wraps it up as a tensor again: a synchronisation in every step."""

_no_sync = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    loss, s = _no_sync(trainer, batch, clock)
    return torch.tensor(loss.item()), s
