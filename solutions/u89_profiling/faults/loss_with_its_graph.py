"""Returns the loss with its graph.

check = "8.9.j/times_by_the_clock"
stage = "torch"
says = "The loss still holds its graph: a list of such losses keeps every activation of every step alive."
"""

_detached_step = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    forward, kept = trainer.forward, []
    trainer.forward = lambda x, y: kept.append(forward(x, y)) or kept[0]
    _, seconds = _detached_step(trainer, batch, clock)
    trainer.forward = forward
    return kept[0], seconds
