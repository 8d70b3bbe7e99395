"""Does nothing in its second step, unless it has been looked at more closely by then."""


def optimized(seed):
    run = repaired(seed)
    step, forward, calls = run.step, run.forward, {"step": 0, "forward": 0}

    def looked(batch):
        calls["forward"] += 1
        return forward(batch)

    def some(batch):
        calls["step"] += 1
        if calls["step"] == 2 and calls["forward"] == 1:
            return torch.zeros(())
        return step(batch)

    run.forward, run.step = looked, some
    return run
