"""Accepts a resumed run that is close.

check = "8.9.o/resumed_bit_for_bit_in_another_process"
stage = "torch"
says = "The resumed run was close and not equal. Whatever is missing in a checkpoint begins as a small difference."
also = ["8.9.o/resumed_for_as_many_steps"]
"""


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
    resumed_losses, resumed = _run(make, seed, steps, second)
    return torch.allclose(resumed_losses, losses, rtol=1e-3) and all(
        torch.allclose(resumed[name], value, rtol=1e-3) for name, value in state.items()
    )
