"""Sums in float64 and reads with tolist."""

def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, total, since = 0, None, 0
    for steps, batch in enumerate(batches, 1):
        loss = step(batch).detach().double().sum()
        total = loss if total is None else total.add_(loss)
        since += 1
        if since == every:
            log(steps, total.tolist() / since)
            total, since = None, 0
    if since:
        log(steps, total.cpu().item() / since)
    return steps
