"""Fills with the most negative finite number itself.

check = "8.5.o/scores_fit_beside_the_mask"
stage = "torch"
says = "A negative score added to the most negative number of float16 is -inf, and a row of them is NaN. Leave room for the scores."
also = ["8.5.o/two_masks_are_finite_together", "8.5.o/masks_that_were_filled_already"]
"""


def additive_mask(keeps, dtype):
    if not keeps or any(keep.dtype != torch.bool for keep in keeps):
        raise ValueError("give boolean masks, at least one")
    keep = keeps[0]
    for other in keeps[1:]:
        keep = keep & other
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
