"""Goes on for a single step after loading.

check = "8.9.o/resumed_for_as_many_steps"
stage = "torch"
says = "The resumed run was followed for a single step. What a checkpoint forgot can show later: go on for as many steps as were trained before."
"""

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
