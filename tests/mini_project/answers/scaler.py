def discriminate(make_trainer):
    """Share of the gradients' entries that are 0 when the optimizer makes its step."""
    run = make_trainer(0)
    seen = []

    def look(optimizer, *_):
        grads = [p.grad for group in optimizer.param_groups for p in group["params"]]
        zeros = sum(int((g == 0).sum()) for g in grads)
        seen.append(zeros / sum(g.numel() for g in grads))

    handle = run.optimizer.register_step_pre_hook(look)
    run.step(next(run.stream()))
    handle.remove()
    return seen[0]


def guard(make_trainer):
    """Fail when most gradients underflow."""
    share = discriminate(make_trainer)
    assert share < 0.3, f"{share:.0%} of the gradients are 0 at the optimizer's step"
