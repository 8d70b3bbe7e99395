"""Hands the log a tensor."""

def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, since, total = 0, 0, 0.0
    for batch in batches:
        total = total + step(batch).detach().float()
        steps, since = steps + 1, since + 1
        if since == every:
            log(steps, (total / since).cpu())
            since, total = 0, 0.0
    if since:
        log(steps, (total / since).cpu())
    return steps
