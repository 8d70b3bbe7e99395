"""Needs a gradient of its input."""

_hand = checkpoint_by_hand


def checkpoint_by_hand(block, x):
    return _hand(block, x.requires_grad_() if x.is_leaf else x)
