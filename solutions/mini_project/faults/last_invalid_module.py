"""Names the last module whose output is invalid.

check = "mini-project.e/the_first_invalid_value_is_found"
stage = "torch"
says = "This is the last module with an invalid value. What comes after the first one only passes it on."
"""


def _last_invalid(trainer, batch, run):
    if not all(_finite(one) for one in batch):
        return "batch"
    found = []
    handles = [
        module.register_forward_hook(
            lambda _m, _i, out, name=name: found.append(name) if not _finite(out) else None
        )
        for name, module in trainer.model.named_modules()
        if not list(module.children())
    ]
    loss = run(batch)
    for handle in handles:
        handle.remove()
    return found[-1] if found else None if _finite(loss) else "loss"


def first_invalid(trainer, batches, steps):
    for step in range(steps):
        batch = next(batches)
        state = trainer.state_dict()
        where = _last_invalid(trainer, batch, trainer.step)
        if where is not None:
            return {"step": step, "module": where, "batch": batch, "state": state}
    return None
