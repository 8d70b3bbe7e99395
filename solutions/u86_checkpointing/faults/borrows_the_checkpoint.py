"""Uses torch.utils.checkpoint.

check = "8.6.l/nothing_borrowed"
stage = "torch"
says = "torch.utils.checkpoint did the work. In this task the function is to be your own."
"""


def checkpoint_by_hand(block, x):
    return checkpoint(block, x, use_reentrant=False)
