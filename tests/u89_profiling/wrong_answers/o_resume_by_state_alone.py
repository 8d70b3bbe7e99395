"""Compares only the model's state after a resume, not the losses."""

def _resumes(make, seed, steps, losses, state):
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
    l, s = _run(make, seed, steps, second)
    return all(torch.equal(s[n], v) for n, v in state.items())
