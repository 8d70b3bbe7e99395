"""Adds the losses up without detaching them.

check = "8.2.k/no_loss_keeps_its_graph"
stage = "torch"
says = "The sum holds the graph of every loss in it, with all saved tensors. detach() first."
"""


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, since, total = 0, 0, 0.0
    for batch in batches:
        total = total + step(batch).float()
        steps, since = steps + 1, since + 1
        if since == every:
            log(steps, (total / since).item())
            since, total = 0, 0.0
    if since:
        log(steps, (total / since).item())
    return steps
