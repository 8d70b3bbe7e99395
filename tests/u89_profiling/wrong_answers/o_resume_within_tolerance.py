"""Accepts a resumed run that is close instead of equal bit for bit."""


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
    return torch.allclose(l, losses, rtol=1e-3) and all(
        torch.allclose(s[n].double(), v.double(), rtol=1e-3, atol=1e-4) for n, v in state.items()
    )
