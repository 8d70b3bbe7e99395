"""A guard with a threshold and a measurement of its own: the gradients at the optimizer's step."""


def guard(make_trainer):
    run = make_trainer(5)
    lengths = []
    run.optimizer.register_step_pre_hook(
        lambda opt, *_: lengths.append(_norm([p.grad for p in run.model.parameters()]))
    )
    batch = next(run.stream())
    run.max_norm = 1e-4
    run.step(batch)
    wanted = 1e-4 * run.loss_weight
    if not 0.1 * wanted < lengths[0]:
        raise AssertionError(f"clipped to {lengths[0]:.3g} where {wanted:.3g} was asked for")
