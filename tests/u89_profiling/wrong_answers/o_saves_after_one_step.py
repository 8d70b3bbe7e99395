"""Saves after one step, and goes on from there to the end of the run."""

_after_steps = _resumes


def _resumes(make, seed, steps, losses, state):
    whole, state = _run(make, seed, 2 * steps)
    first = make(seed)
    torch.manual_seed(seed)
    first.step(iter(first.batches))
    saved = first.state_dict()
    second = make(seed)
    torch.manual_seed(seed + 1)
    try:
        second.load_state_dict(saved)
    except Exception:
        return False
    resumed_losses, resumed = _run(make, seed, 2 * steps - 1, second)
    return torch.equal(resumed_losses, whole[1:]) and all(
        torch.equal(resumed[name], value) for name, value in state.items()
    )
