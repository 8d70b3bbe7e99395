"""Captures the state before the batch is fetched: what the fetch changes is not in it."""


def first_invalid(trainer, batches, steps):
    for step in range(steps):
        state = trainer.state_dict()
        batch = next(batches)
        where = _first_invalid(trainer, batch, trainer.step)
        if where is not None:
            return {"step": step, "module": where, "batch": batch, "state": state}
    return None
