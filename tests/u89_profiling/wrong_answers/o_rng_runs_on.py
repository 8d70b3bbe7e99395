"""Makes the fresh trainer first and loads at once: torch's RNG simply runs on, so a checkpoint whose loading leaves the RNG alone passes."""


def _resumes(make, seed, steps, losses, state):
    first, second = make(seed), make(seed)
    torch.manual_seed(seed)
    iterator = iter(first.batches)
    for _ in range(steps):
        first.step(iterator)
    try:
        second.load_state_dict(first.state_dict())
    except Exception:
        return False
    l, s = _run(make, seed, steps, second)
    return torch.equal(l, losses) and all(torch.equal(s[n], v) for n, v in state.items())
