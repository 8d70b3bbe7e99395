"""Updates the mean with every loss, so that an infinite loss turns it into NaN."""


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, since, mean = 0, 0, None
    for batch in batches:
        loss = step(batch).detach().float()
        steps, since = steps + 1, since + 1
        mean = loss.clone() if since == 1 else mean + (loss - mean) / since
        if since == every:
            log(steps, float(mean))
            since = 0
    if since:
        log(steps, float(mean))
    return steps
