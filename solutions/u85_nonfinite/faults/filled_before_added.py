"""Fills each mask and adds them up.

check = "8.5.o/two_masks_are_finite_together"
stage = "torch"
says = "Two masks that were filled with the most negative number were added: the sum is -inf where both apply. Combine booleans, fill once."
also = ["8.5.o/scores_fit_beside_the_mask", "8.5.o/masks_that_were_filled_already"]
source = "NVIDIA-NeMo/Automodel#2658"
"""

_checked_mask = additive_mask


def additive_mask(keeps, dtype):
    _checked_mask(keeps, dtype)
    lowest = torch.finfo(dtype).min
    return sum(torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, lowest) for keep in keeps)
