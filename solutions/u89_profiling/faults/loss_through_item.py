"""Gets the loss with .item() and wraps it up again.

check = "8.9.j/times_by_the_clock"
stage = "torch"
says = "The loss went through .item(), which waits for the device in every step. detach() gives a tensor without its graph and waits for nothing."
"""

_waitless_step = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    loss, seconds = _waitless_step(trainer, batch, clock)
    return torch.tensor(loss.item()), seconds
