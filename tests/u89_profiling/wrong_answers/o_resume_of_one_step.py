"""Goes on for one step after loading, and compares its loss and the weights then."""

_to_the_end = _resumes


def _resumes(make, seed, steps, losses, state):
    _, after_one = _run(make, seed, steps + 1)
    first = make(seed)
    torch.manual_seed(seed)
    iterator = iter(first.batches)
    for _ in range(steps):
        first.step(iterator)
    saved = first.state_dict()
    second = make(seed)
    torch.manual_seed(seed + 1)
    try:
        second.load_state_dict(saved)
    except Exception:
        return False
    loss, resumed = _run(make, seed, 1, second)
    return torch.equal(loss, losses[:1]) and all(
        torch.equal(resumed[name], value) for name, value in after_one.items()
    )
