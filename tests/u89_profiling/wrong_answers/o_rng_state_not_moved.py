"""Does not put the RNG in another state before it loads the checkpoint."""

def _resumes(make, seed, steps, losses, state):
    first = make(seed)
    torch.manual_seed(seed)
    iterator = iter(first.batches)
    for _ in range(steps):
        first.step(iterator)
    saved = first.state_dict()
    second = make(seed)
    try:
        second.load_state_dict(saved)
    except Exception:
        return False
    l, s = _run(make, seed, steps, second)
    return torch.equal(l, losses) and all(torch.equal(s[n], v) for n, v in state.items())
