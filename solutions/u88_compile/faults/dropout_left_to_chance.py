"""Does not seed before each run.

check = "8.8.j/sound_backends_agree"
stage = "torch"
says = "The two runs drew different dropout masks. Seed before each of them."
source = "pytorch/pytorch#113169"
"""

_drawn = []


def _outcome(model, batch, training, backend, seed, _right=_outcome):
    _drawn.append(1)
    manual_seed = torch.manual_seed
    torch.manual_seed = lambda seed: manual_seed(seed + len(_drawn))
    try:
        return _right(model, batch, training, backend, seed)
    finally:
        torch.manual_seed = manual_seed
