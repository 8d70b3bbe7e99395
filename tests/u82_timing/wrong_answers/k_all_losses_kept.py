"""Keeps the graphs of a line's losses in a list."""

def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    steps, losses = 0, []
    for batch in batches:
        losses.append(step(batch).reshape(()).float())
        steps += 1
        if len(losses) == every:
            log(steps, torch.stack(losses).mean().item())
            losses = []
    if losses:
        log(steps, torch.stack(losses).mean().item())
    return steps
