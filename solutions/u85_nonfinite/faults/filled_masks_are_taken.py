"""Takes a mask of numbers for booleans.

check = "8.5.o/masks_that_were_filled_already"
stage = "torch"
says = "A mask that was filled already was taken for booleans: its 0 means keep, but is False. Refuse it."
"""


def additive_mask(keeps, dtype):
    keeps = [keep.bool() for keep in keeps]
    if not keeps:
        raise ValueError("give boolean masks, at least one")
    keep = keeps[0]
    for other in keeps[1:]:
        keep = keep & other
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min / 2)
