"""Compares only the weights after a resume, not the losses or buffers."""


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
    _run(make, seed, steps, second)
    return all(torch.equal(p, state[n]) for n, p in second.model.named_parameters())
