"""Loads the checkpoint while the RNG is still where the run left it.

check = "8.9.o/resumed_bit_for_bit_in_another_process"
stage = "torch"
says = "The RNG simply ran on. A new process starts with another one: put it in another state before loading, or a checkpoint without it passes."
"""


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
    resumed_losses, resumed = _run(make, seed, steps, second)
    return torch.equal(resumed_losses, losses) and all(
        torch.equal(resumed[name], value) for name, value in state.items()
    )
