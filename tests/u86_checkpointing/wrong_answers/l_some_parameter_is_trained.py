"""Looks at the first parameter's device, which a block without parameters has not."""

_any_block = checkpoint_by_hand


def checkpoint_by_hand(block, x):
    next(block.parameters())
    return _any_block(block, x)
