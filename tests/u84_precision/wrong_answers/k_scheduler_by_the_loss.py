"""Steps the scheduler if the loss is finite, although the gradients need not be."""

_true = amp_step


def amp_step(model, optimizer, scaler, batches, *arguments, scheduler=None, **named):
    found = _true(model, optimizer, scaler, batches, *arguments, **named)
    if scheduler is not None and batches and len(batches) > 0:
        scheduler.step()
    return found
